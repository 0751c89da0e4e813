// SPDX-License-Identifier: MIT
// MsgpackWriter: writes the formats of MessagePack.
#include <codec/msgpack_writer.h>

#include <bit>
#include <limits>

namespace trunkline::codec {
namespace {

constexpr std::string_view too_long = "more than 4294967295 bytes or elements";

template <class T>
constexpr bool fits(std::uint64_t value) noexcept {
  return value <= std::numeric_limits<T>::max();
}

}  // namespace

std::string_view MsgpackWriter::scalar(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      number(*value.get_if<bool>() ? 0xC3 : 0xC2, 0, 0);
      break;
    case Value::Kind::int64: {
      const auto integer = *value.get_if<std::int64_t>();
      if (integer >= 0) {
        unsigned_integer(static_cast<std::uint64_t>(integer));
      } else {
        negative_integer(integer);
      }
      break;
    }
    case Value::Kind::uint64:
      unsigned_integer(*value.get_if<std::uint64_t>());
      break;
    case Value::Kind::float64:
      number(0xCB, std::bit_cast<std::uint64_t>(*value.get_if<double>()), 8);
      break;
    case Value::Kind::string:
      return text(*value.get_if<std::string>());
    case Value::Kind::bytes:
      return bytes(*value.get_if<Value::Bytes>());
    default:
      number(0xC0, 0, 0);
      break;
  }
  return {};
}

std::string_view MsgpackWriter::begin(const Value& container) {
  const bool array = container.is_array();
  const std::uint64_t count = container.size();
  if (!fits<std::uint32_t>(count)) return too_long;
  if (count < 16) {
    number(static_cast<std::uint8_t>((array ? 0x90 : 0x80) | count), 0, 0);
  } else if (fits<std::uint16_t>(count)) {
    number(array ? 0xDC : 0xDE, count, 2);
  } else {
    number(array ? 0xDD : 0xDF, count, 4);
  }
  return {};
}

std::string_view MsgpackWriter::member_name(std::string_view name) { return text(name); }

/// Writes a format byte and `size` bytes of the value, big-endian.
void MsgpackWriter::number(std::uint8_t format, std::uint64_t value, std::size_t size) {
  MutableByteSpan room = out().prepare(1 + size);
  room[0] = static_cast<std::byte>(format);
  for (std::size_t i = 0; i < size; ++i) room[1 + i] = static_cast<std::byte>(value >> 8 * (size - 1 - i) & 0xFF);
  out().advance(1 + size);
}

void MsgpackWriter::unsigned_integer(std::uint64_t value) {
  if (value < 0x80) {
    number(static_cast<std::uint8_t>(value), 0, 0);
  } else if (fits<std::uint8_t>(value)) {
    number(0xCC, value, 1);
  } else if (fits<std::uint16_t>(value)) {
    number(0xCD, value, 2);
  } else if (fits<std::uint32_t>(value)) {
    number(0xCE, value, 4);
  } else {
    number(0xCF, value, 8);
  }
}

void MsgpackWriter::negative_integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= -32) {
    number(static_cast<std::uint8_t>(bits & 0xFF), 0, 0);
  } else if (value >= std::numeric_limits<std::int8_t>::min()) {
    number(0xD0, bits, 1);
  } else if (value >= std::numeric_limits<std::int16_t>::min()) {
    number(0xD1, bits, 2);
  } else if (value >= std::numeric_limits<std::int32_t>::min()) {
    number(0xD2, bits, 4);
  } else {
    number(0xD3, bits, 8);
  }
}

std::string_view MsgpackWriter::text(std::string_view content) {
  const std::uint64_t size = content.size();
  if (!fits<std::uint32_t>(size)) return too_long;
  if (size < 32) {
    number(static_cast<std::uint8_t>(0xA0 | size), 0, 0);
  } else if (fits<std::uint8_t>(size)) {
    number(0xD9, size, 1);
  } else if (fits<std::uint16_t>(size)) {
    number(0xDA, size, 2);
  } else {
    number(0xDB, size, 4);
  }
  out().append(content);
  return {};
}

std::string_view MsgpackWriter::bytes(ByteSpan content) {
  const std::uint64_t size = content.size();
  if (!fits<std::uint32_t>(size)) return too_long;
  if (fits<std::uint8_t>(size)) {
    number(0xC4, size, 1);
  } else if (fits<std::uint16_t>(size)) {
    number(0xC5, size, 2);
  } else {
    number(0xC6, size, 4);
  }
  out().append(content);
  return {};
}

}  // namespace trunkline::codec
