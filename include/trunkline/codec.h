// SPDX-License-Identifier: MIT
// Codec: encodes typed messages as payloads and decodes them. CodecRegistry: the codecs of a channel or server, by
// name.
#pragma once

#include <trunkline/message.h>
#include <trunkline/result.h>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline {

/// Encodes and decodes messages. Implementations are immutable; any number of threads call them at once.
class TRUNKLINE_API Codec {
 public:
  virtual ~Codec() = default;
  /// Returns the name on the wire: 1 to 64 of [a-z0-9._-].
  virtual std::string_view name() const noexcept = 0;
  virtual bool supports(const MessageType& type) const noexcept = 0;
  /// Appends the encoded message. On error nothing is appended. Error: internal, naming the type or field that cannot
  /// be encoded.
  virtual Status encode(MessageView message, BufferWriter& out) const = 0;
  /// Replaces the content of the message, which is valid but unspecified after an error. To keep the payload, copy the
  /// slice. Errors: invalid_argument, saying where the payload is wrong but never quoting it; resource_exhausted if the
  /// message would exceed a limit of the codec, which the message of the status names.
  virtual Status decode(const Slice& payload, MutableMessageView message) const = 0;
};

/// Limits that the built-in codecs enforce while they decode.
struct CodecLimits {
  /// The largest number of nodes in one Value decoded by json or msgpack; at least 1. Each null, boolean, number, text,
  /// byte string, array and object at any depth is a node. One byte of payload can describe a node that takes 40 bytes
  /// of memory (a member of an object: 72; three times that while its array grows), so this limit bounds memory where
  /// max_message_bytes does not. Exceeding it is the error resource_exhausted.
  std::size_t max_value_nodes = 4u << 20;
};

/// An ordered set of codecs. A value: copy it, add to it, put it into ChannelOptions or ServerOptions.
class TRUNKLINE_API CodecRegistry {
 public:
  /// Makes a registry that holds no codecs.
  CodecRegistry() = default;
  /// Returns the built-in codecs: protobuf (in builds with protobuf), json, msgpack, bytes. Throws
  /// std::invalid_argument if a limit is out of its range.
  static CodecRegistry with_defaults(const CodecLimits& limits = {});

  /// Adds the codec, or replaces the codec of the same name in its place. Throws std::invalid_argument for a null
  /// codec, for an invalid name, and for a 33rd codec.
  CodecRegistry& add(std::shared_ptr<const Codec> codec);
  /// Returns null if there is no codec of this name.
  const Codec* find(std::string_view name) const noexcept;
  /// Returns the codecs in the order in which they were added, which is the order of their numbers on the wire.
  const std::vector<std::shared_ptr<const Codec>>& codecs() const& noexcept { return codecs_; }
  std::vector<std::shared_ptr<const Codec>> codecs() && noexcept { return std::move(codecs_); }

 private:
  std::vector<std::shared_ptr<const Codec>> codecs_;
};

}  // namespace trunkline
