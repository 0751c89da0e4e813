// SPDX-License-Identifier: MIT
// Fields of small protobuf messages, for what has to be read and written without protobuf.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::base {

/// One field. `number` is 0 at the end of the message, or where it is malformed.
struct ProtobufField {
  std::uint64_t number = 0;
  /// Of a varint.
  std::uint64_t value = 0;
  /// Of a field with a length: a view of the message.
  std::string_view bytes;
};

/// Takes the next field from the front of `message`.
ProtobufField take_protobuf_field(std::string_view& message) noexcept;
/// `number` is 1 to 15. Nothing for 0, as proto3 has it.
void append_protobuf_varint(std::uint64_t number, std::uint64_t value, std::string& out);
void append_protobuf_bytes(std::uint64_t number, std::string_view bytes, std::string& out);

}  // namespace trunkline::base
