// SPDX-License-Identifier: MIT
// Writes google.rpc.Status and the google.protobuf.Any messages in it.
#include "session/grpc/rpc_status.h"

#include "wire/leb128.h"
#include "wire/text.h"

#include <cstdint>
#include <string_view>

namespace trunkline::session::grpc {
namespace {

enum class ProtobufWireType : std::uint8_t { varint = 0, length_delimited = 2 };

constexpr std::uint64_t code_field = 1;
constexpr std::uint64_t message_field = 2;
constexpr std::uint64_t details_field = 3;
constexpr std::uint64_t type_url_field = 1;
constexpr std::uint64_t value_field = 2;

/// With a tag of one byte; nothing for an empty field, as proto3 has it.
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

}  // namespace trunkline::session::grpc
