// SPDX-License-Identifier: MIT
// MsgpackCodec: MessagePack of a Value.
#pragma once

#include <trunkline/codec.h>

namespace trunkline::codec {

class MsgpackCodec final : public Codec {
 public:
  explicit MsgpackCodec(const CodecLimits& limits) : limits_(limits) {}
  std::string_view name() const noexcept override { return "msgpack"; }
  bool supports(const MessageType& type) const noexcept override;
  Status encode(MessageView message, BufferWriter& out) const override;
  Status decode(const Slice& payload, MutableMessageView message) const override;

 private:
  CodecLimits limits_;
};

}  // namespace trunkline::codec
