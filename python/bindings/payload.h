// SPDX-License-Identifier: MIT
// Payload: an encoded message with the name of its encoding; Python encodes and decodes, the core only carries.
#pragma once

#include <trunkline/codec.h>

#include <memory>
#include <string_view>

namespace trunkline::python {

struct Payload {
  Slice bytes;
  std::string_view codec{};  ///< of a received message; views a text that stays, and ends in a zero byte
};

/// Codecs that pass payloads through as they are, under the names of the codecs Python has: protobuf, json, msgpack,
/// bytes.
CodecRegistry pass_through_codecs();
/// The same for a codec of the application's, whose name is known from then on.
std::shared_ptr<const Codec> pass_through_codec(std::string_view name);
/// The type of a Payload that travels as `codec` where nothing else has been agreed on. A name of codec_name().
const MessageType& payload_type(std::string_view codec);
/// Once, before the first fork: a child must be able to look names up.
void watch_forks_of_codec_names();
/// The name as it stays, so that it outlives any Python string. Throws std::invalid_argument for one that nobody has.
std::string_view codec_name(std::string_view name);

}  // namespace trunkline::python

template <>
struct trunkline::MessageTraits<trunkline::python::Payload> {
  static const MessageType& type();
  static const void* address(const python::Payload& message) noexcept { return &message; }
  static void* address(python::Payload& message) noexcept { return &message; }
};
