// SPDX-License-Identifier: MIT
// PackedMessage: holds an encoded message and the name of its codec, so that the command needs no message types.
#pragma once

#include <trunkline/codec.h>

#include <google/protobuf/message_lite.h>

#include <string>
#include <string_view>

namespace trunkline::cli::schema {

struct PackedMessage {
  Slice bytes;
  /// The name of the codec; empty in a response if the server sent no message.
  std::string_view codec{};
};

/// Returns codecs that pass payloads through unchanged, under the names of the built-in codecs.
CodecRegistry packed_message_codecs();

PackedMessage pack(const google::protobuf::MessageLite& message);
/// Decodes the payload into `message`. Error: internal if the payload is not such a message.
Status unpack(const PackedMessage& payload, google::protobuf::MessageLite& message);

}  // namespace trunkline::cli::schema

template <>
struct trunkline::MessageTraits<trunkline::cli::schema::PackedMessage> {
  static const MessageType& type();
  static const void* address(const cli::schema::PackedMessage& message) noexcept { return &message; }
  static void* address(cli::schema::PackedMessage& message) noexcept { return &message; }
};
