// SPDX-License-Identifier: MIT
// JsonCodec: JSON text, of a Value or by protobuf's JSON mapping.
#pragma once

#include <trunkline/codec.h>

namespace trunkline::codec {

class JsonCodec final : public Codec {
 public:
  explicit JsonCodec(const CodecLimits& limits) : limits_(limits) {}
  std::string_view name() const noexcept override { return "json"; }
  bool supports(const MessageType& type) const noexcept override;
  Status encode(MessageView message, BufferWriter& out) const override;
  Status decode(const Slice& payload, MutableMessageView message) const override;

 private:
  CodecLimits limits_;
};

}  // namespace trunkline::codec
