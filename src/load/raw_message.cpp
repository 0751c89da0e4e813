// SPDX-License-Identifier: MIT
// RawMessage and RawResponse: the direct form of each codec, and one codec class for all names.
#include "load/raw_message.h"

#include <cstring>
#include <memory>

namespace trunkline {
namespace load {
namespace {

bool look_at(void* object, ByteSpan payload) {
  auto& response = *static_cast<RawResponse*>(object);
  response.size = payload.size();
  const Slice* const expected = response.expected;
  response.differs =
      expected != nullptr && (payload.size() != expected->size() ||
                              (!payload.empty() && std::memcmp(payload.data(), expected->data(), payload.size()) != 0));
  return true;
}

std::size_t size_of(const void* object) { return static_cast<const RawMessage*>(object)->bytes.size(); }

void write(const void* object, std::byte* out) {
  const Slice& bytes = static_cast<const RawMessage*>(object)->bytes;
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
}

/// Returns one type for each codec.
std::array<MessageType, raw_codec_names.size()> types_of(const MessageType& type) {
  std::array<MessageType, raw_codec_names.size()> types;
  for (std::size_t codec = 0; codec < types.size(); ++codec) {
    types[codec] = type;
    types[codec].default_codec = types[codec].direct_codec = raw_codec_names[codec];
  }
  return types;
}

class RawCodec final : public Codec {
 public:
  explicit RawCodec(std::string_view name) : name_(name) {}
  std::string_view name() const noexcept override { return name_; }
  bool supports(const MessageType& type) const noexcept override {
    return *type.type == typeid(RawMessage) || *type.type == typeid(RawResponse);
  }
  Status encode(MessageView message, BufferWriter& out) const override {
    out.append(message.as<RawMessage>()->bytes);
    return {};
  }
  Status decode(const Slice& payload, MutableMessageView message) const override {
    if (auto* const kept = message.as<RawMessage>(); kept != nullptr) {
      kept->bytes = payload;
    } else {
      look_at(message.object, payload.bytes());
    }
    return {};
  }

 private:
  std::string_view name_;
};

}  // namespace

CodecRegistry raw_codecs() {
  CodecRegistry codecs;
  for (const std::string_view name : raw_codec_names) codecs.add(std::make_shared<RawCodec>(name));
  return codecs;
}

const MessageType& raw_request_type(std::size_t codec) {
  static const auto types = types_of({.kind = MessageKind::custom,
                                      .type = &typeid(RawMessage),
                                      .size = &size_of,
                                      .write = &write,
                                      .clear = [](void* object) { static_cast<RawMessage*>(object)->bytes = {}; },
                                      .may_be_missing = true});
  return types.at(codec);
}

const MessageType& raw_response_type(std::size_t codec) {
  static const auto types = types_of({.kind = MessageKind::custom,
                                      .type = &typeid(RawResponse),
                                      .parse = &look_at,
                                      .clear = [](void* object) { look_at(object, {}); },
                                      .may_be_missing = true});
  return types.at(codec);
}

}  // namespace load
}  // namespace trunkline
