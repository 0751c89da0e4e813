// SPDX-License-Identifier: MIT
// Payload: an encoded message with the name of its codec. Python encodes and decodes; the core only carries it.
#pragma once

#include <trunkline/codec.h>

#include <memory>
#include <string_view>

namespace trunkline::python {

struct Payload {
  Slice bytes;
  /// The codec of a received message; a view of a zero-terminated string that is never destroyed.
  std::string_view codec{};
};

/// A response that the server has to send; a Payload may also be missing.
struct RequiredPayload {
  Payload payload;
};

/// Codecs that pass payloads through, under the names of Python's built-in codecs: protobuf, json, msgpack, bytes.
CodecRegistry pass_through_codecs();
/// A codec that passes payloads through, under a name of the application, which codec_name() knows from then on.
std::shared_ptr<const Codec> pass_through_codec(std::string_view name);
/// The type of a Payload, which may be missing, whose default codec is `codec`, a name of codec_name().
const MessageType& payload_type(std::string_view codec);
/// Prepares for forks, so that a child can look names up. Once, before the first fork.
void watch_forks_of_codec_names();
/// The same name in a string that is never destroyed. Throws std::invalid_argument for an unknown name.
std::string_view codec_name(std::string_view name);

}  // namespace trunkline::python

template <>
struct trunkline::MessageTraits<trunkline::python::Payload> {
  static const MessageType& type();
  static const void* address(const python::Payload& message) noexcept { return &message; }
  static void* address(python::Payload& message) noexcept { return &message; }
};

template <>
struct trunkline::MessageTraits<trunkline::python::RequiredPayload> {
  static const MessageType& type();
  static const void* address(const python::RequiredPayload& message) noexcept { return &message.payload; }
  static void* address(python::RequiredPayload& message) noexcept { return &message.payload; }
};
