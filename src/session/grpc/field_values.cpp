// SPDX-License-Identifier: MIT
// Texts of header fields to values and back.
#include "session/grpc/field_values.h"

#include "codec/base64.h"
#include "wire/leb128.h"

#include <charconv>
#include <chrono>
#include <cstdint>

namespace trunkline::session::grpc {
namespace {

constexpr std::string_view digits = "0123456789ABCDEF";

int value_of(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/// A field of a protobuf message with the wire type `type`: its key and a number, which is the value or its length.
void append_field(std::uint32_t number, std::uint32_t type, std::uint64_t value, std::string& out) {
  std::byte bytes[10];
  out.append(as_text(ByteSpan(bytes, wire::write_leb128(number << 3 | type, bytes))));
  out.append(as_text(ByteSpan(bytes, wire::write_leb128(value, bytes))));
}

void append_text(std::uint32_t number, std::string_view text, std::string& out) {
  constexpr std::uint32_t length_delimited = 2;
  append_field(number, length_delimited, text.size(), out);
  out.append(text);
}

template <class Unit>
base::Duration duration_of(std::uint64_t count) noexcept {
  constexpr auto longest = std::chrono::duration_cast<Unit>(base::Duration::max()).count();
  if (count > static_cast<std::uint64_t>(longest)) return base::Duration::max();
  return Unit(static_cast<typename Unit::rep>(count));
}

}  // namespace

std::optional<base::Duration> read_timeout(std::string_view text) noexcept {
  constexpr std::size_t max_digits = 8;
  if (text.size() < 2 || text.size() > max_digits + 1) return std::nullopt;
  const char* const end = text.data() + text.size() - 1;
  std::uint64_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end) return std::nullopt;
  switch (*end) {
    case 'H':
      return duration_of<std::chrono::hours>(count);
    case 'M':
      return duration_of<std::chrono::minutes>(count);
    case 'S':
      return duration_of<std::chrono::seconds>(count);
    case 'm':
      return duration_of<std::chrono::milliseconds>(count);
    case 'u':
      return duration_of<std::chrono::microseconds>(count);
    case 'n':
      return duration_of<std::chrono::nanoseconds>(count);
    default:
      return std::nullopt;
  }
}

std::string percent_encode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char letter : text) {
    if (letter >= ' ' && letter <= '~' && letter != '%') {
      out += letter;
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool has_digits = text[at] == '%' && at + 2 < text.size();
    const int high = has_digits ? value_of(text[at + 1]) : -1;
    const int low = has_digits ? value_of(text[at + 2]) : -1;
    if (high < 0 || low < 0) {
      out += text[at];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return out;
}

std::optional<std::string> read_binary(std::string_view text) {
  std::string padded(text);
  while (padded.size() % 4 != 0) padded += '=';
  const auto bytes = codec::decode_base64(padded);
  if (!bytes) return std::nullopt;
  return std::string(as_text(ByteSpan(*bytes)));
}

std::string write_binary(std::string_view bytes) {
  BufferWriter writer;
  codec::append_base64(as_bytes(bytes), writer);
  std::string_view text = as_text(writer.bytes());
  while (text.ends_with('=')) text.remove_suffix(1);
  return std::string(text);
}

std::string encode_details(const Status& status) {
  std::string out;
  append_field(1, 0, static_cast<std::uint64_t>(status.code()), out);
  append_text(2, status.message(), out);
  for (const StatusDetail& detail : status.details()) {
    std::string any;
    append_text(1, detail.type_url, any);
    append_text(2, detail.value, any);
    append_text(3, any, out);
  }
  return out;
}

}  // namespace trunkline::session::grpc
