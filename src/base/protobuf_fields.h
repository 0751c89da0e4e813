// SPDX-License-Identifier: MIT
// Reads and writes the fields of small protobuf messages without protobuf.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::base {

/// One field. Its number is 0 at the end of the message, or where the message is malformed.
struct ProtobufField {
  std::uint64_t number = 0;
  /// The value of a varint.
  std::uint64_t value = 0;
  /// The content of a field with a length, as a view of the message.
  std::string_view bytes;
};

/// Takes the next field from the front of `message`.
ProtobufField take_protobuf_field(std::string_view& message) noexcept;
/// Appends a varint. `number` is 1 to 15. A value of 0 appends nothing, as proto3 has it.
void append_protobuf_varint(std::uint64_t number, std::uint64_t value, std::string& out);
void append_protobuf_bytes(std::uint64_t number, std::string_view bytes, std::string& out);

}  // namespace trunkline::base
