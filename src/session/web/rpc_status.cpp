// SPDX-License-Identifier: MIT
// Reads and writes google.rpc.Status and the google.protobuf.Any messages in it.
#include "session/web/rpc_status.h"

#include "wire/leb128.h"
#include "wire/text.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::session::web {
namespace {

enum class ProtobufWireType : std::uint8_t { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

constexpr std::uint64_t code_field = 1;
constexpr std::uint64_t message_field = 2;
constexpr std::uint64_t details_field = 3;
constexpr std::uint64_t type_url_field = 1;
constexpr std::uint64_t value_field = 2;

/// Returns the size of a field with a tag of one byte. An empty field has no bytes, as proto3 has it.
std::size_t bytes_field_size(std::size_t size) noexcept { return size == 0 ? 0 : 1 + wire::leb128_size(size) + size; }

std::size_t any_size(const StatusDetail& detail) noexcept {
  return bytes_field_size(detail.type_url.size()) + bytes_field_size(detail.value.size());
}

void append_varint(std::uint64_t value, BufferWriter& out) {
  out.advance(wire::write_leb128(value, out.prepare(wire::leb128_size(value)).data()));
}

void append_tag(std::uint64_t number, ProtobufWireType type, BufferWriter& out) {
  append_varint(number << 3 | static_cast<std::uint64_t>(type), out);
}

void append_bytes_field(std::uint64_t number, std::string_view bytes, BufferWriter& out) {
  if (bytes.empty()) return;
  append_tag(number, ProtobufWireType::length_delimited, out);
  append_varint(bytes.size(), out);
  out.append(bytes);
}

void append_text_field(std::uint64_t number, std::string_view text, BufferWriter& out) {
  if (text.empty()) return;
  append_tag(number, ProtobufWireType::length_delimited, out);
  append_varint(text.size(), out);
  wire::copy_as_utf8(text, out.prepare(text.size()).data());
  out.advance(text.size());
}

/// Takes `count` bytes from the front. Returns false if there are fewer.
bool take(ByteSpan& in, std::uint64_t count, ByteSpan& out) noexcept {
  if (count > in.size()) return false;
  out = in.first(static_cast<std::size_t>(count));
  in = in.subspan(static_cast<std::size_t>(count));
  return true;
}

bool take_varint(ByteSpan& in, std::uint64_t& value) noexcept {
  // Negative numbers have ten bytes; no field here can have one, and its value does not matter.
  constexpr std::size_t longest = 9;
  std::size_t size = wire::read_leb128(in, longest, value);
  if (size == 0 && in.size() > longest && in[longest] == std::byte{1}) {
    size = longest + 1;
    value = UINT64_MAX;
  }
  in = in.subspan(size);
  return size > 0;
}

struct Field {
  std::uint64_t number = 0;
  ProtobufWireType type{};
  std::uint64_t value = 0;
  ByteSpan bytes;
};

/// Takes a field from the front. Returns false if what comes is no field.
bool take_field(ByteSpan& in, Field& field) noexcept {
  std::uint64_t tag = 0;
  if (!take_varint(in, tag)) return false;
  field.number = tag >> 3;
  field.type = static_cast<ProtobufWireType>(tag & 7);
  switch (field.type) {
    case ProtobufWireType::varint:
      return take_varint(in, field.value);
    case ProtobufWireType::length_delimited: {
      std::uint64_t size = 0;
      return take_varint(in, size) && take(in, size, field.bytes);
    }
    case ProtobufWireType::fixed64:
      return take(in, 8, field.bytes);
    case ProtobufWireType::fixed32:
      return take(in, 4, field.bytes);
  }
  return false;
}

bool is_bytes(const Field& field, std::uint64_t number) noexcept {
  return field.type == ProtobufWireType::length_delimited && field.number == number;
}

std::string utf8_of(ByteSpan text) {
  std::string copy(text.size(), '\0');
  wire::copy_as_utf8(as_text(text), reinterpret_cast<std::byte*>(copy.data()));
  return copy;
}

bool read_any(ByteSpan in, StatusDetail& detail) {
  for (Field field; !in.empty();) {
    if (!take_field(in, field)) return false;
    if (is_bytes(field, type_url_field)) detail.type_url = utf8_of(field.bytes);
    if (is_bytes(field, value_field)) detail.value = as_text(field.bytes);
  }
  return true;
}

}  // namespace

std::size_t rpc_status_bytes(const Status& status) noexcept {
  const std::size_t code = status.is_ok() ? 0 : 2;
  std::size_t size = code + bytes_field_size(status.message().size());
  for (const StatusDetail& detail : status.details()) {
    const std::size_t any = any_size(detail);
    size += 1 + wire::leb128_size(any) + any;
  }
  return size;
}

void append_rpc_status(const Status& status, BufferWriter& out) {
  if (!status.is_ok()) {
    append_tag(code_field, ProtobufWireType::varint, out);
    append_varint(static_cast<std::uint64_t>(status.code()), out);
  }
  append_text_field(message_field, status.message(), out);
  for (const StatusDetail& detail : status.details()) {
    append_tag(details_field, ProtobufWireType::length_delimited, out);
    append_varint(any_size(detail), out);
    append_text_field(type_url_field, detail.type_url, out);
    append_bytes_field(value_field, detail.value, out);
  }
}

bool add_details_of(ByteSpan rpc_status, Status& status) {
  std::uint64_t code = 0;
  std::vector<StatusDetail> details;
  for (Field field; !rpc_status.empty();) {
    if (!take_field(rpc_status, field)) return false;
    if (field.type == ProtobufWireType::varint && field.number == code_field) code = field.value;
    if (is_bytes(field, details_field) && !read_any(field.bytes, details.emplace_back())) return false;
  }
  if (code != static_cast<std::uint64_t>(status.code())) return false;
  for (StatusDetail& detail : details) status.add_detail(std::move(detail.type_url), std::move(detail.value));
  return true;
}

}  // namespace trunkline::session::web
