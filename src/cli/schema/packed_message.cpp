// SPDX-License-Identifier: MIT
// Has one class of codec under several names.
#include "cli/schema/packed_message.h"

#include "cli/schema/encoding_names.h"

#include <limits>
#include <memory>
#include <utility>

namespace trunkline {

const MessageType& MessageTraits<cli::schema::PackedMessage>::type() {
  static const MessageType value{.kind = MessageKind::custom,
                                 .type = &typeid(cli::schema::PackedMessage),
                                 .default_codec = "protobuf",
                                 .clear = [](void* object) { *static_cast<cli::schema::PackedMessage*>(object) = {}; },
                                 .may_be_missing = true};
  return value;
}

namespace cli::schema {
namespace {

class PayloadCodec final : public Codec {
 public:
  explicit PayloadCodec(std::string_view name) : name_(name) {}
  std::string_view name() const noexcept override { return name_; }
  bool supports(const MessageType& type) const noexcept override { return *type.type == typeid(PackedMessage); }

  Status encode(MessageView message, BufferWriter& out) const override {
    out.append(message.as<PackedMessage>()->bytes);
    return {};
  }
  Status decode(const Slice& payload, MutableMessageView message) const override {
    *message.as<PackedMessage>() = {payload, name_};
    return {};
  }

 private:
  std::string_view name_;
};

}  // namespace

CodecRegistry packed_message_codecs() {
  CodecRegistry codecs;
  for (const std::string& name : codec_names()) codecs.add(std::make_shared<PayloadCodec>(name));
  return codecs;
}

PackedMessage pack(const google::protobuf::MessageLite& message) {
  return {Slice::from_string(message.SerializePartialAsString()), "protobuf"};
}

Status unpack(const PackedMessage& payload, google::protobuf::MessageLite& message) {
  const std::size_t size = payload.bytes.size();
  const bool fits = size <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (fits && message.ParsePartialFromArray(payload.bytes.data(), static_cast<int>(size))) return {};
  return {StatusCode::internal,
          "decode protobuf: " + std::to_string(size) + " bytes from the server are not a " + message.GetTypeName()};
}

}  // namespace cli::schema
}  // namespace trunkline
