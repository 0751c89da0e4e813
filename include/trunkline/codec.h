// SPDX-License-Identifier: MIT
// Codec: turns typed messages into payloads and back; CodecRegistry: the codecs a channel or server offers, by name.
#pragma once

#include <trunkline/message.h>
#include <trunkline/result.h>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline {

/// Implementations are immutable and called from any thread at once.
class TRUNKLINE_API Codec {
 public:
  virtual ~Codec() = default;
  /// The name on the wire: 1 to 64 of [a-z0-9._-].
  virtual std::string_view name() const noexcept = 0;
  virtual bool supports(const MessageType& type) const noexcept = 0;
  /// Appends the encoded message; on error nothing is appended. Errors: internal if the message cannot be encoded (says
  /// which type or field).
  virtual Status encode(MessageView message, BufferWriter& out) const = 0;
  /// Replaces the message's content; after an error it is valid but unspecified. The payload may be kept by copying the
  /// slice.
  /// Errors: invalid_argument (says where the payload is wrong, never what it holds); resource_exhausted if the message
  /// would go over a limit of the codec's (names it).
  virtual Status decode(const Slice& payload, MutableMessageView message) const = 0;
};

/// What the built-in codecs keep to when they decode.
struct CodecLimits {
  /// The most nulls, booleans, numbers, texts, bytes, arrays and objects in one Value decoded by json or msgpack, all
  /// levels together; at least 1. One byte of payload can stand for a node of 40 bytes (a member: 72; thrice that while
  /// its array grows), so this bounds the memory of a Value where max_message_bytes does not. One more is answered with
  /// resource_exhausted.
  std::size_t max_value_nodes = 4u << 20;
};

/// An ordered set of codecs. A value: copy it, add to it, put it into ChannelOptions or ServerOptions.
class TRUNKLINE_API CodecRegistry {
 public:
  /// Empty.
  CodecRegistry() = default;
  /// protobuf (where built in), json, msgpack, bytes. Throws std::invalid_argument if a limit is out of its range.
  static CodecRegistry with_defaults(const CodecLimits& limits = {});

  /// Adds, or replaces the codec of the same name in its place. Throws std::invalid_argument for a null codec, an
  /// invalid name, or a 33rd codec.
  CodecRegistry& add(std::shared_ptr<const Codec> codec);
  const Codec* find(std::string_view name) const noexcept;
  /// In the order added; this is the order of numbers on the wire.
  const std::vector<std::shared_ptr<const Codec>>& codecs() const& noexcept { return codecs_; }
  std::vector<std::shared_ptr<const Codec>> codecs() && noexcept { return std::move(codecs_); }

 private:
  std::vector<std::shared_ptr<const Codec>> codecs_;
};

}  // namespace trunkline
