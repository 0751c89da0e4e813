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

/// Returns codecs that pass payloads through, named as Python's built-in codecs: protobuf, json, msgpack, bytes.
CodecRegistry pass_through_codecs();
/// Returns a codec that passes payloads through under a name of the application, and adds the name to codec_name().
std::shared_ptr<const Codec> pass_through_codec(std::string_view name);
/// Returns the type of a Payload, which may be missing. `codec`, a name of codec_name(), is its default codec.
const MessageType& payload_type(std::string_view codec);
/// Prepares for forks, so that a child can look names up. Must be called once, before the first fork.
void watch_forks_of_codec_names();
/// Returns the name in a string that is never destroyed. Throws std::invalid_argument for an unknown name.
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
