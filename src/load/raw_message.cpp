// SPDX-License-Identifier: MIT
// The direct form for the codec "bytes", and one codec class under the other names.
#include "load/raw_message.h"

#include <array>
#include <cstring>
#include <memory>

namespace trunkline {
namespace load {
namespace {

constexpr std::array<std::string_view, 4> names{"bytes", "protobuf", "json", "msgpack"};

bool look_at(void* object, ByteSpan payload) {
  auto& response = *static_cast<RawResponse*>(object);
  response.size = payload.size();
  const Slice* const expected = response.expected;
  response.differs =
      expected != nullptr && (payload.size() != expected->size() ||
                              (!payload.empty() && std::memcmp(payload.data(), expected->data(), payload.size()) != 0));
  return true;
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
  for (const std::string_view name : names) codecs.add(std::make_shared<RawCodec>(name));
  return codecs;
}

}  // namespace load

const MessageType& MessageTraits<load::RawMessage>::type() {
  static const MessageType value{
      .kind = MessageKind::custom,
      .type = &typeid(load::RawMessage),
      .default_codec = "bytes",
      .direct_codec = "bytes",
      .size = [](const void* object) { return static_cast<const load::RawMessage*>(object)->bytes.size(); },
      .write =
          [](const void* object, std::byte* out) {
            const Slice& bytes = static_cast<const load::RawMessage*>(object)->bytes;
            if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
          },
      .clear = [](void* object) { static_cast<load::RawMessage*>(object)->bytes = {}; },
      .may_be_missing = true};
  return value;
}

const MessageType& MessageTraits<load::RawResponse>::type() {
  static const MessageType value{.kind = MessageKind::custom,
                                 .type = &typeid(load::RawResponse),
                                 .default_codec = "bytes",
                                 .direct_codec = "bytes",
                                 .parse = &load::look_at,
                                 .clear = [](void* object) { load::look_at(object, {}); },
                                 .may_be_missing = true};
  return value;
}

}  // namespace trunkline
