// SPDX-License-Identifier: MIT
// JsonScanner: reads the tokens of a JSON text (RFC 8259) one after the other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trunkline::codec {

/// A strict scanner: white space, strings, numbers and words are those of the grammar, and strings are UTF-8. The
/// caller has to know what tokens mean together. It keeps a view of the text.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) noexcept
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  /// Returns the first character of the next token; 0 at the end, or for a byte that begins none.
  char peek() noexcept {
    while (at_ != end_ && is_space(*at_)) ++at_;
    return at_ != end_ ? *at_ : '\0';
  }
  /// Takes the next token if it is `punctuation`, one of { } [ ] , :
  bool take(char punctuation) noexcept {
    if (peek() != punctuation || at_ == end_) return false;
    ++at_;
    return true;
  }
  /// Takes the next token if it is this word: true, false or null.
  bool take_word(std::string_view word) noexcept;
  /// Reads a string. Returns false if the next token is none. The content is valid until the next string is read.
  bool read_string(std::string_view& content);
  /// Reads a number. Returns false if the next token is none.
  bool read_number(std::string_view& number) noexcept;
  /// Takes a value of any kind. Returns false if it is malformed or nests more than `levels` arrays and objects.
  bool skip_value(unsigned levels);
  /// Returns true if only white space is left.
  bool is_at_end() noexcept {
    static_cast<void>(peek());
    return at_ == end_;
  }

  std::size_t position() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
  /// Goes on at a position that was reached before.
  void seek(std::size_t position) noexcept { at_ = begin_ + position; }

 private:
  static bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  bool read_escapes(const char* begin, std::string_view& content);
  bool append_escape();
  bool read_hex(unsigned& unit) noexcept;

  const char* begin_;
  const char* at_;
  const char* end_;
  /// The content of the last string with escapes.
  std::string unescaped_;
};

}  // namespace trunkline::codec
