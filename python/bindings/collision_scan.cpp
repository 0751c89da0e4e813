// SPDX-License-Identifier: MIT
// CollisionScan: computes the hashes of keys and items from their encoded form.
#include "collision_scan.h"

#include "python_hash.h"

#include "base/utf8.h"

#include <Python.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

namespace trunkline::python {

namespace {

/// The depth of nesting from which on a message is refused, as decoders refuse it.
constexpr int max_depth = 1000;
constexpr std::int64_t hash_of_none = 0xFCA86420;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

int hex_digit(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Returns the hash of a UUID in any of its forms: 32 hexadecimal digits, with hyphens, braces, or the prefix of a URN.
std::optional<std::int64_t> uuid_hash(std::string_view text) noexcept {
  constexpr std::string_view urn = "urn:uuid:";
  if (text.starts_with(urn)) text.remove_prefix(urn.size());
  std::uint64_t residue = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '-' || c == '{' || c == '}') continue;
    const int digit = hex_digit(c);
    if (digit < 0 || ++count > 32) return std::nullopt;
    residue = with_digit(residue, 16, static_cast<unsigned>(digit));
  }
  if (count != 32) return std::nullopt;
  return hash_of_number(residue, false);
}

/// Returns the code point of a character in UTF-8.
Py_UCS4 code_point(std::string_view character) noexcept {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  Py_UCS4 code = lead & (0xFFU >> (character.size() + 1));
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

void append_utf8(std::string& text, Py_UCS4 code) {
  const auto append = [&](unsigned byte) { text.push_back(static_cast<char>(byte)); };
  const auto append_rest = [&](unsigned shift) { append(0x80U | ((code >> shift) & 0x3FU)); };
  if (code < 0x80) return append(code);
  if (code < 0x800) return append(0xC0U | code >> 6), append_rest(0);
  if (code < 0x10000) return append(0xE0U | code >> 12), append_rest(6), append_rest(0);
  append(0xF0U | code >> 18), append_rest(12), append_rest(6), append_rest(0);
}

/// The characters of a text as Decimal() reads them: without underscores, '0' to '9' for the decimal digits of any
/// script, and ' ' for any white space. '?' stands for all that is part of no number, and '\0' for the end.
class NumberText {
 public:
  explicit NumberText(std::string_view text) noexcept : rest_(text) {}

  char next() noexcept {
    while (rest_.starts_with('_')) rest_.remove_prefix(1);
    if (rest_.empty()) return '\0';
    const std::size_t size = base::utf8_character_size(rest_);
    if (size == 0) return '?';
    const Py_UCS4 code = code_point(rest_.substr(0, size));
    rest_.remove_prefix(size);
    if (code > ' ' && code < 0x7F) return static_cast<char>(code);
    if (Py_UNICODE_ISSPACE(code) != 0) return ' ';
    const int digit = Py_UNICODE_TODECIMAL(code);
    return digit < 0 ? '?' : static_cast<char>('0' + digit);
  }

 private:
  std::string_view rest_;
};

/// Returns the hash of a decimal number, as text for int or Decimal.
std::optional<std::int64_t> decimal_hash(std::string_view text) noexcept {
  NumberText number(text);
  char c = number.next();
  while (c == ' ') c = number.next();
  const bool is_negative = c == '-';
  if (is_negative || c == '+') c = number.next();
  std::uint64_t residue = 0;
  std::int64_t exponent = 0;
  bool has_point = false;
  bool has_digit = false;
  for (; is_digit(c) || (c == '.' && !has_point); c = number.next()) {
    if (c == '.') {
      has_point = true;
    } else {
      residue = with_digit(residue, 10, static_cast<unsigned>(c - '0'));
      exponent -= has_point ? 1 : 0;
      has_digit = true;
    }
  }
  if (!has_digit) return std::nullopt;
  if ((c | 0x20) == 'e') {
    c = number.next();
    const bool is_below_one = c == '-';
    if (is_below_one || c == '+') c = number.next();
    if (!is_digit(c)) return std::nullopt;
    std::int64_t written = 0;
    for (; is_digit(c); c = number.next()) {
      // Decimal() refuses those above 2 * 10^18.
      if (written > std::numeric_limits<std::int64_t>::max() / 10 - 1) return std::nullopt;
      written = written * 10 + (c - '0');
    }
    // The number is taken modulo the order of the group, so that the sum does not overflow.
    written %= static_cast<std::int64_t>(hash_modulus - 1);
    exponent += is_below_one ? -written : written;
  }
  while (c == ' ') c = number.next();
  if (c != '\0') return std::nullopt;
  constexpr std::uint64_t tenth = power(10, hash_modulus - 2);
  const std::uint64_t scale = exponent < 0 ? power(tenth, static_cast<std::uint64_t>(-exponent))
                                           : power(10, static_cast<std::uint64_t>(exponent));
  return hash_of_number(times(residue, scale), is_negative);
}

}  // namespace

bool CollisionScan::finds_in_json() {
  json_value(false);
  return is_found_;
}

bool CollisionScan::finds_in_msgpack() {
  msgpack_value(false);
  return is_found_;
}

/// Looks for collisions among the items since `first`, and removes these from the list.
void CollisionScan::judge(std::size_t first) {
  const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(first);
  if (items_.size() - first > max_collisions && !is_over()) {
    std::sort(begin, items_.end(), [](const Item& one, const Item& other) {
      return std::tie(one.hash, one.encoded) < std::tie(other.hash, other.encoded);
    });
    std::size_t collisions = 0;
    for (auto item = begin + 1; item != items_.end() && !is_found_; ++item) {
      const Item& previous = *(item - 1);
      if (item->hash != previous.hash) {
        collisions = 0;
      } else if (item->encoded != previous.encoded) {
        is_found_ = ++collisions >= max_collisions;
      }
    }
  }
  items_.erase(begin, items_.end());
}

std::int64_t CollisionScan::text_hash(std::string_view text, TextForm form) const {
  std::optional<std::int64_t> known;
  if (form == TextForm::decimal) known = decimal_hash(text);
  if (form == TextForm::uuid) known = uuid_hash(text);
  return known ? *known : static_cast<std::int64_t>(std::hash<std::string_view>()(text));
}

// --- JSON ---

/// The next character that is no space; 0 at the end.
char CollisionScan::peek() noexcept {
  while (at_ < message_.size()) {
    const char c = message_[at_];
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
    ++at_;
  }
  return '\0';
}

bool CollisionScan::take(char expected) noexcept {
  if (peek() != expected) return false;
  ++at_;
  return true;
}

std::int64_t CollisionScan::skip_word(std::string_view word, std::int64_t hash) noexcept {
  if (message_.substr(at_, word.size()) != word) return fail();
  at_ += word.size();
  return hash;
}

std::int64_t CollisionScan::json_value(bool is_hashed) {
  switch (peek()) {
    case '{':
      return json_object(is_hashed);
    case '[':
      return json_array(is_hashed);
    case '"':
      return json_string(is_hashed, false);
    case 't':
      return skip_word("true", 1);
    case 'f':
      return skip_word("false", 0);
    case 'n':
      return skip_word("null", hash_of_none);
    default:
      return json_number();
  }
}

std::int64_t CollisionScan::json_array(bool is_hashed) {
  if (++depth_ > max_depth) return fail();
  ++at_;
  const std::size_t first = items_.size();
  const bool needs_hashes = is_hashed || checks_arrays_;
  TupleHash hash;
  if (!take(']')) {
    do {
      peek();
      const std::size_t begin = at_;
      const std::int64_t item = json_value(needs_hashes);
      hash.add(item);
      if (checks_arrays_) add(item, begin);
    } while (!is_over() && take(','));
    if (!take(']')) fail();
  }
  judge(first);
  --depth_;
  return hash.value();
}

/// An object may be a frozen instance of a class: its hash does not depend on the order of its fields here.
std::int64_t CollisionScan::json_object(bool is_hashed) {
  if (++depth_ > max_depth) return fail();
  ++at_;
  const std::size_t first = items_.size();
  std::uint64_t sum = 0;
  if (!take('}')) {
    do {
      if (peek() != '"') return fail();
      const std::size_t begin = at_;
      const std::int64_t key = json_string(true, true);
      add(key, begin);
      if (!take(':')) return fail();
      TupleHash field;
      field.add(key);
      field.add(json_value(is_hashed || checks_arrays_));
      sum += static_cast<std::uint64_t>(field.value());
    } while (!is_over() && take(','));
    if (!take('}')) fail();
  }
  judge(first);
  --depth_;
  return static_cast<std::int64_t>(sum);
}

std::int64_t CollisionScan::json_number() {
  const std::size_t begin = at_;
  const bool is_negative = message_.substr(at_, 1) == "-";
  if (is_negative) ++at_;
  std::uint64_t residue = 0;
  const std::size_t digits = at_;
  for (; at_ < message_.size() && is_digit(message_[at_]); ++at_) {
    residue = with_digit(residue, 10, static_cast<unsigned>(message_[at_] - '0'));
  }
  if (at_ == digits) return fail();
  const std::size_t whole = at_;
  constexpr std::string_view others = ".eE+-";
  while (at_ < message_.size() && (is_digit(message_[at_]) || others.find(message_[at_]) != others.npos)) ++at_;
  if (at_ == whole) return hash_of_number(residue, is_negative);
  const std::string_view token = message_.substr(begin, at_ - begin);
  if (texts_ == TextForm::decimal) return text_hash(token, TextForm::decimal);
  double value = 0;
  std::from_chars(token.data(), token.data() + token.size(), value);
  return hash_of_float(value);
}

std::int64_t CollisionScan::json_string(bool is_hashed, bool is_key) {
  const std::size_t begin = ++at_;
  at_ = message_.find_first_of("\"\\", at_);
  if (at_ == message_.npos) return at_ = message_.size(), fail();
  std::string_view text = message_.substr(begin, at_ - begin);
  if (message_[at_] == '\\') {
    text_.assign(text);
    while (at_ < message_.size() && message_[at_] != '"') {
      if (message_[at_] == '\\') {
        take_escape();
      } else {
        text_.push_back(message_[at_++]);
      }
    }
    text = text_;
  }
  if (at_ >= message_.size()) return fail();
  ++at_;
  if (!is_hashed) return 0;
  return text_hash(text, is_key && texts_ == TextForm::text ? TextForm::decimal : texts_);
}

/// Adds what an escape stands for to the text.
void CollisionScan::take_escape() {
  constexpr std::string_view letters = "bfnrt";
  constexpr std::string_view meanings = "\b\f\n\r\t";
  const char letter = at_ + 1 < message_.size() ? message_[at_ + 1] : '\0';
  if (letter != 'u') {
    const std::size_t known = letters.find(letter);
    text_.push_back(known != letters.npos ? meanings[known] : letter);
    at_ = std::min(at_ + 2, message_.size());
    return;
  }
  Py_UCS4 code = take_code_unit();
  if (code >= 0xD800 && code < 0xDC00 && message_.substr(at_, 2) == "\\u") {
    code = 0x10000 + ((code - 0xD800) << 10) + ((take_code_unit() - 0xDC00) & 0x3FFU);
  }
  append_utf8(text_, code);
}

/// Takes an escape with four hexadecimal digits, and returns its code unit.
std::uint32_t CollisionScan::take_code_unit() noexcept {
  std::uint32_t unit = 0;
  const std::string_view digits = message_.substr(at_, 6).substr(2);
  for (const char c : digits) {
    const int digit = hex_digit(c);
    if (digit < 0) fail();
    unit = unit << 4 | (static_cast<std::uint32_t>(digit) & 0xFU);
  }
  at_ += 2 + digits.size();
  return unit;
}

// --- MessagePack ---

std::uint64_t CollisionScan::take_integer(std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  for (const char c : take_bytes(bytes)) value = (value << 8) | static_cast<unsigned char>(c);
  return value;
}

std::string_view CollisionScan::take_bytes(std::uint64_t length) noexcept {
  if (length > message_.size() - at_) return fail(), std::string_view();
  const std::string_view taken = message_.substr(at_, static_cast<std::size_t>(length));
  at_ += taken.size();
  return taken;
}

std::int64_t CollisionScan::msgpack_value(bool is_hashed) {
  const auto signed_hash = [](std::int64_t value) {
    const std::uint64_t magnitude =
        value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    return hash_of_number(magnitude % hash_modulus, value < 0);
  };
  const std::string_view tag = take_bytes(1);
  if (tag.empty()) return 0;
  const auto code = static_cast<unsigned char>(tag[0]);
  if (code < 0x80) return code;
  if (code < 0x90) return msgpack_map(code & 0x0fU, is_hashed);
  if (code < 0xa0) return msgpack_array(code & 0x0fU, is_hashed);
  if (code < 0xc0) return msgpack_text(code & 0x1fU, is_hashed);
  if (code >= 0xe0) return signed_hash(static_cast<std::int8_t>(code));
  const std::size_t size = std::size_t{1} << (code & 3U);
  switch (code) {
    case 0xc0:
      return hash_of_none;
    case 0xc1:
      return fail();
    case 0xc2:
    case 0xc3:
      return code & 1;
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return msgpack_bytes(take_integer(std::size_t{1} << (code - 0xc4U)), is_hashed);
    case 0xc7:
    case 0xc8:
    case 0xc9:
      return msgpack_bytes(take_integer(std::size_t{1} << (code - 0xc7U)) + 1, is_hashed);
    case 0xca:
      return hash_of_float(std::bit_cast<float>(static_cast<std::uint32_t>(take_integer(4))));
    case 0xcb:
      return hash_of_float(std::bit_cast<double>(take_integer(8)));
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      return hash_of_number(take_integer(size) % hash_modulus, false);
    case 0xd0:
      return signed_hash(static_cast<std::int8_t>(take_integer(1)));
    case 0xd1:
      return signed_hash(static_cast<std::int16_t>(take_integer(2)));
    case 0xd2:
      return signed_hash(static_cast<std::int32_t>(take_integer(4)));
    case 0xd3:
      return signed_hash(static_cast<std::int64_t>(take_integer(8)));
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
      return msgpack_bytes((std::uint64_t{1} << (code - 0xd4U)) + 1, is_hashed);
    case 0xd9:
    case 0xda:
    case 0xdb:
      return msgpack_text(take_integer(std::size_t{1} << (code - 0xd9U)), is_hashed);
    case 0xdc:
      return msgpack_array(take_integer(2), is_hashed);
    case 0xdd:
      return msgpack_array(take_integer(4), is_hashed);
    case 0xde:
      return msgpack_map(take_integer(2), is_hashed);
    default:
      return msgpack_map(take_integer(4), is_hashed);
  }
}

std::int64_t CollisionScan::msgpack_array(std::uint64_t count, bool is_hashed) {
  if (++depth_ > max_depth) return fail();
  const std::size_t first = items_.size();
  const bool needs_hashes = is_hashed || checks_arrays_;
  TupleHash hash;
  for (; count > 0 && !is_over(); --count) {
    const std::size_t begin = at_;
    const std::int64_t item = msgpack_value(needs_hashes);
    if (!needs_hashes) continue;
    hash.add(item);
    if (checks_arrays_) add(item, begin);
  }
  judge(first);
  --depth_;
  return hash.value();
}

std::int64_t CollisionScan::msgpack_map(std::uint64_t count, bool is_hashed) {
  if (++depth_ > max_depth) return fail();
  const std::size_t first = items_.size();
  std::uint64_t sum = 0;
  for (; count > 0 && !is_over(); --count) {
    const std::size_t begin = at_;
    const std::int64_t key = msgpack_value(true);
    add(key, begin);
    TupleHash field;
    field.add(key);
    field.add(msgpack_value(is_hashed || checks_arrays_));
    sum += static_cast<std::uint64_t>(field.value());
  }
  judge(first);
  --depth_;
  return static_cast<std::int64_t>(sum);
}

std::int64_t CollisionScan::msgpack_text(std::uint64_t length, bool is_hashed) {
  const std::string_view text = take_bytes(length);
  return is_hashed ? text_hash(text, texts_) : 0;
}

/// Returns the hash of bytes or of an extension.
std::int64_t CollisionScan::msgpack_bytes(std::uint64_t length, bool is_hashed) {
  const std::string_view bytes = take_bytes(length);
  if (!is_hashed) return 0;
  if (texts_ == TextForm::decimal) return text_hash(bytes, TextForm::decimal);  // pydantic makes an int of them
  if (texts_ != TextForm::uuid || bytes.size() != 16) return text_hash(bytes, TextForm::text);
  std::uint64_t residue = 0;
  for (const char c : bytes) {
    residue = with_digit(residue, 16, static_cast<unsigned char>(c) >> 4U);
    residue = with_digit(residue, 16, static_cast<unsigned char>(c) & 15U);
  }
  return hash_of_number(residue, false);
}

}  // namespace trunkline::python
