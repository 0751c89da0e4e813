// SPDX-License-Identifier: MIT
// BytesCodec: passes payloads through unchanged.
#include <codec/bytes_codec.h>

#include <base/block_waste.h>
#include <codec/codec_error.h>

namespace trunkline::codec {
namespace {

Slice keep(const Slice& payload) {
  if (payload.empty()) return {};
  return base::wastes_its_block(payload) ? Slice::copy_of(payload.bytes()) : payload;
}

}  // namespace

bool BytesCodec::supports(const MessageType& type) const noexcept {
  return type.kind == MessageKind::bytes || type.kind == MessageKind::none;
}

Status BytesCodec::encode(MessageView message, BufferWriter& out) const {
  if (message.type->kind == MessageKind::none) return Status::ok();
  if (const auto* slice = message.as<Slice>()) {
    out.append(*slice);
  } else if (const auto* text = message.as<std::string>()) {
    out.append(std::string_view(*text));
  } else {
    return cannot_encode(name(), *message.type);
  }
  return Status::ok();
}

Status BytesCodec::decode(const Slice& payload, MutableMessageView message) const {
  if (message.type->kind == MessageKind::none) {
    if (payload.empty()) return Status::ok();
    return decode_error(name(), std::to_string(payload.size()) + " bytes where no message is expected");
  }
  if (auto* slice = message.as<Slice>()) {
    *slice = keep(payload);
  } else if (auto* text = message.as<std::string>()) {
    text->assign(payload.text());
  } else {
    return cannot_decode(name(), *message.type);
  }
  return Status::ok();
}

}  // namespace trunkline::codec
