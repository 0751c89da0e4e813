// SPDX-License-Identifier: MIT
// Payload: a message as bytes beside the name of their codec, so that the command needs no message types.
#pragma once

#include <trunkline/codec.h>

#include <google/protobuf/message_lite.h>

#include <string>
#include <string_view>

namespace trunkline::cli {

struct Payload {
  Slice bytes;
  /// Empty in an answer: the server sent no message.
  std::string_view codec{};
};

/// Those that pass payloads as they are under the names of the usual codecs.
CodecRegistry payload_codecs();

Payload pack(const google::protobuf::MessageLite& message);
/// Error: internal if it is no such message.
Status unpack(const Payload& payload, google::protobuf::MessageLite& message);

}  // namespace trunkline::cli

template <>
struct trunkline::MessageTraits<trunkline::cli::Payload> {
  static const MessageType& type();
  static const void* address(const cli::Payload& message) noexcept { return &message; }
  static void* address(cli::Payload& message) noexcept { return &message; }
};
