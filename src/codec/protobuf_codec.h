// SPDX-License-Identifier: MIT
// ProtobufCodec: the binary encoding of protobuf.
#pragma once

#include <trunkline/codec.h>

namespace trunkline::codec {

class ProtobufCodec final : public Codec {
 public:
  std::string_view name() const noexcept override { return "protobuf"; }
  bool supports(const MessageType& type) const noexcept override;
  Status encode(MessageView message, BufferWriter& out) const override;
  Status decode(const Slice& payload, MutableMessageView message) const override;
};

}  // namespace trunkline::codec
