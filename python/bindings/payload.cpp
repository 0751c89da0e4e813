// SPDX-License-Identifier: MIT
// The message type of Payload and its codecs.
#include "payload.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

namespace trunkline {

const MessageType& MessageTraits<python::Payload>::type() { return python::payload_type("bytes"); }

namespace python {

namespace {

constexpr std::array<std::string_view, 4> names{"protobuf", "json", "msgpack", "bytes"};

class PassThroughCodec final : public Codec {
 public:
  explicit PassThroughCodec(std::string_view name) noexcept : name_(name) {}
  std::string_view name() const noexcept override { return name_; }
  bool supports(const MessageType& type) const noexcept override { return *type.type == typeid(Payload); }
  Status encode(MessageView message, BufferWriter& out) const override {
    out.append(message.as<Payload>()->bytes.bytes());
    return {};
  }
  Status decode(const Slice& payload, MutableMessageView message) const override {
    *message.as<Payload>() = {payload, name_};
    return {};
  }

 private:
  std::string_view name_;
};

}  // namespace

const MessageType& payload_type(std::string_view codec) {
  static const auto types = [] {
    std::array<MessageType, names.size()> made;
    for (std::size_t i = 0; i < names.size(); ++i) {
      made[i].type = &typeid(Payload);
      made[i].default_codec = names[i];
      made[i].clear = [](void* object) { *static_cast<Payload*>(object) = {}; };
    }
    return made;
  }();
  for (const MessageType& type : types) {
    if (type.default_codec == codec) return type;
  }
  return types.back();
}

CodecRegistry pass_through_codecs() {
  CodecRegistry registry;
  for (const std::string_view name : names) registry.add(std::make_shared<PassThroughCodec>(name));
  return registry;
}

std::string_view codec_name(std::string_view name) {
  for (const std::string_view known : names) {
    if (known == name) return known;
  }
  throw std::invalid_argument("codec '" + std::string(name) + "' is none of protobuf, json, msgpack, bytes");
}

}  // namespace python

}  // namespace trunkline
