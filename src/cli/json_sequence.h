// SPDX-License-Identifier: MIT
// JsonSequence: the JSON values of a stream of text, one after the other, as soon as each is complete.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::cli {

/// One value's text as it came, and where it began; lines and columns count from 1, columns in bytes.
struct JsonText {
  std::string text;
  std::size_t line = 1;
  std::size_t column = 1;
};

/// Values are told apart by their brackets, quotes and the space between them, over any number of lines. Whether they
/// are JSON is not looked at: a text that cannot be is given out for the parser to refuse.
class JsonSequence {
 public:
  void append(std::string_view text);
  /// Nothing comes after what was appended: an unfinished value is given out as it is.
  void finish() noexcept { finished_ = true; }
  /// The next value; nullopt until there is more (or at the end).
  std::optional<JsonText> next();
  /// Bytes that are held because their value is not complete.
  std::size_t held_bytes() const noexcept { return buffer_.size() - begin_; }

 private:
  enum class Where : unsigned char { between, scalar, text, escape, nested, nested_text, nested_escape };

  bool step(char byte);
  JsonText take();
  void count(std::string_view passed) noexcept;

  std::string buffer_;
  std::size_t begin_ = 0;  // of the value, or of what has not been looked at
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  Where where_ = Where::between;
  bool finished_ = false;
};

}  // namespace trunkline::cli
