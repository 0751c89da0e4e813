// SPDX-License-Identifier: MIT
// JsonSequence: splits a stream of text into JSON values, each as soon as it is complete.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::cli::json {

/// The text of one value and the place where it began. Lines and columns count from 1, columns in bytes.
struct JsonText {
  std::string text;
  std::size_t line = 1;
  std::size_t column = 1;
};

/// A splitter that delimits values by their brackets, quotes and the space between them, over any number of lines. It
/// does not validate: text that cannot be JSON is returned for the parser to refuse.
class JsonSequence {
 public:
  void append(std::string_view text);
  /// Ends the text: an unfinished value is returned as it is.
  void finish() noexcept { finished_ = true; }
  /// Returns the next complete value; nullopt until there is one, or at the end.
  std::optional<JsonText> next();
  /// Returns the number of bytes that wait for the end of their value.
  std::size_t buffered_bytes() const noexcept { return buffer_.size() - begin_; }

 private:
  enum class Where : unsigned char { between, scalar, text, escape, nested, nested_text, nested_escape };

  bool step(char byte);
  JsonText take();
  void count(std::string_view passed) noexcept;

  std::string buffer_;
  // The start of the current value, or of the text that has not been scanned.
  std::size_t begin_ = 0;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  Where where_ = Where::between;
  bool finished_ = false;
};

}  // namespace trunkline::cli::json
