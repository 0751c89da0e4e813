// SPDX-License-Identifier: MIT
// EtcdMessageCodec: carries messages that are encoded already, as protobuf.
#pragma once

#include "codec/bytes_codec.h"

#include <string_view>

namespace trunkline::naming::etcd {

class EtcdMessageCodec final : public Codec {
 public:
  std::string_view name() const noexcept override { return "protobuf"; }
  bool supports(const MessageType& type) const noexcept override { return bytes_.supports(type); }
  Status encode(MessageView message, BufferWriter& out) const override { return bytes_.encode(message, out); }
  Status decode(const Slice& payload, MutableMessageView message) const override {
    return bytes_.decode(payload, message);
  }

 private:
  codec::BytesCodec bytes_;
};

}  // namespace trunkline::naming::etcd
