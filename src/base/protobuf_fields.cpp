// SPDX-License-Identifier: MIT
// The wire format of protobuf, as far as small messages need it.
#include "base/protobuf_fields.h"

#include <cstddef>

namespace trunkline::base {

namespace {

enum WireType : std::uint64_t { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

bool take_varint(std::string_view& in, std::uint64_t& value) noexcept {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

void append_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

}  // namespace

ProtobufField take_protobuf_field(std::string_view& message) noexcept {
  ProtobufField field;
  std::uint64_t tag = 0;
  if (!take_varint(message, tag)) return {};
  field.number = tag >> 3;
  std::uint64_t size = 0;
  switch (tag & 7) {
    case varint:
      return take_varint(message, field.value) ? field : ProtobufField{};
    case length_delimited:
      if (!take_varint(message, size)) return {};
      break;
    case fixed64:
      size = 8;
      break;
    case fixed32:
      size = 4;
      break;
    default:
      return {};
  }
  if (size > message.size()) return {};
  field.bytes = message.substr(0, static_cast<std::size_t>(size));
  message.remove_prefix(static_cast<std::size_t>(size));
  return field;
}

void append_protobuf_varint(std::uint64_t number, std::uint64_t value, std::string& out) {
  if (value == 0) return;
  append_varint(number << 3 | varint, out);
  append_varint(value, out);
}

void append_protobuf_bytes(std::uint64_t number, std::string_view bytes, std::string& out) {
  append_varint(number << 3 | length_delimited, out);
  append_varint(bytes.size(), out);
  out.append(bytes);
}

}  // namespace trunkline::base
