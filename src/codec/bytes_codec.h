// SPDX-License-Identifier: MIT
// BytesCodec: the payload is the message itself (Slice, std::string).
#pragma once

#include <trunkline/codec.h>

namespace trunkline::codec {

class BytesCodec final : public Codec {
 public:
  std::string_view name() const noexcept override { return "bytes"; }
  bool supports(const MessageType& type) const noexcept override;
  Status encode(MessageView message, BufferWriter& out) const override;
  Status decode(const Slice& payload, MutableMessageView message) const override;
};

}  // namespace trunkline::codec
