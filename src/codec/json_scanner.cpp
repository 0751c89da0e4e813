// SPDX-License-Identifier: MIT
// JsonScanner: reads tokens of JSON.
#include <codec/json_scanner.h>

#include <base/utf8.h>
#include <codec/json_text.h>

namespace trunkline::codec {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Appends a character of the Unicode code space that is no surrogate.
void append_utf8(unsigned code, std::string& out) {
  const auto continuation = [code](unsigned shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += {static_cast<char>(0xC0 | code >> 6), continuation(0)};
  } else if (code < 0x10000) {
    out += {static_cast<char>(0xE0 | code >> 12), continuation(6), continuation(0)};
  } else {
    out += {static_cast<char>(0xF0 | code >> 18), continuation(12), continuation(6), continuation(0)};
  }
}

}  // namespace

bool JsonScanner::take_word(std::string_view word) noexcept {
  static_cast<void>(peek());
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

bool JsonScanner::read_string(std::string_view& content) {
  if (!take('"')) return false;
  const char* const begin = at_;
  at_ += plain_json_size({at_, static_cast<std::size_t>(end_ - at_)});
  if (at_ == end_) return false;
  if (*at_ != '"') return read_escapes(begin, content);
  content = {begin, static_cast<std::size_t>(at_ - begin)};
  ++at_;
  return base::is_utf8(content);
}

/// Reads a string that began at `begin` and has come to its first escape, or to a control character.
bool JsonScanner::read_escapes(const char* begin, std::string_view& content) {
  unescaped_.assign(begin, at_);
  while (at_ != end_) {
    if (*at_ == '"') {
      ++at_;
      content = unescaped_;
      return base::is_utf8(content);
    }
    if (*at_ != '\\') return false;
    ++at_;
    if (!append_escape()) return false;
    const std::size_t plain = plain_json_size({at_, static_cast<std::size_t>(end_ - at_)});
    unescaped_.append(at_, plain);
    at_ += plain;
  }
  return false;
}

/// Appends the character of an escape, whose backslash has been read.
bool JsonScanner::append_escape() {
  if (at_ == end_) return false;
  switch (*at_++) {
    case '"':
      return unescaped_ += '"', true;
    case '\\':
      return unescaped_ += '\\', true;
    case '/':
      return unescaped_ += '/', true;
    case 'b':
      return unescaped_ += '\b', true;
    case 'f':
      return unescaped_ += '\f', true;
    case 'n':
      return unescaped_ += '\n', true;
    case 'r':
      return unescaped_ += '\r', true;
    case 't':
      return unescaped_ += '\t', true;
    case 'u':
      break;
    default:
      return false;
  }
  unsigned unit = 0;
  if (!read_hex(unit)) return false;
  if (unit < 0xD800 || unit > 0xDFFF) return append_utf8(unit, unescaped_), true;
  // The unit is the first half of a character beyond the basic plane, whose second half has to follow.
  unsigned low = 0;
  if (unit > 0xDBFF || end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
  at_ += 2;
  if (!read_hex(low) || low < 0xDC00 || low > 0xDFFF) return false;
  append_utf8(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), unescaped_);
  return true;
}

bool JsonScanner::read_hex(unsigned& unit) noexcept {
  if (end_ - at_ < 4) return false;
  unit = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = *at_++;
    const char lower = static_cast<char>(c | 0x20);
    if (is_digit(c)) {
      unit = unit << 4 | static_cast<unsigned>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      unit = unit << 4 | static_cast<unsigned>(lower - 'a' + 10);
    } else {
      return false;
    }
  }
  return true;
}

bool JsonScanner::read_number(std::string_view& number) noexcept {
  static_cast<void>(peek());
  const char* const begin = at_;
  const auto skip_digits = [this] {
    const char* const first = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != first;
  };
  if (at_ != end_ && *at_ == '-') ++at_;
  if (at_ != end_ && *at_ == '0') {
    ++at_;
  } else if (!skip_digits()) {
    return false;
  }
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (!skip_digits()) return false;
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!skip_digits()) return false;
  }
  number = {begin, static_cast<std::size_t>(at_ - begin)};
  return true;
}

bool JsonScanner::skip_value(unsigned levels) {
  std::string_view ignored;
  switch (peek()) {
    case '"':
      return read_string(ignored);
    case 't':
      return take_word("true");
    case 'f':
      return take_word("false");
    case 'n':
      return take_word("null");
    case '[':
      if (levels == 0) return false;
      ++at_;
      if (take(']')) return true;
      do {
        if (!skip_value(levels - 1)) return false;
      } while (take(','));
      return take(']');
    case '{':
      if (levels == 0) return false;
      ++at_;
      if (take('}')) return true;
      do {
        if (!read_string(ignored) || !take(':') || !skip_value(levels - 1)) return false;
      } while (take(','));
      return take('}');
    default:
      return read_number(ignored);
  }
}

}  // namespace trunkline::codec
