// SPDX-License-Identifier: MIT
// ProtobufAny: finds the types of Anys.
#include <codec/protobuf_any.h>

#include <utility>

namespace trunkline::codec {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

const FieldDescriptor* field_of(const Message& any, int number) {
  return any.GetDescriptor()->FindFieldByNumber(number);
}

}  // namespace

ProtobufAny::ProtobufAny(const Message& message)
    : message_(message),
      type_url_(&message.GetReflection()->GetStringReference(message, field_of(message, 1), &scratch_[0])),
      value_(&message.GetReflection()->GetStringReference(message, field_of(message, 2), &scratch_[1])) {}

std::unique_ptr<Message> ProtobufAny::make_content(const std::string& type_url) const {
  const std::size_t slash = type_url.rfind('/');
  if (slash == std::string::npos) return nullptr;
  const auto* const pool = message_.GetDescriptor()->file()->pool();
  const Descriptor* const type = pool->FindMessageTypeByName(type_url.substr(slash + 1));
  if (type == nullptr) return nullptr;
  const Message* const prototype = message_.GetReflection()->GetMessageFactory()->GetPrototype(type);
  return std::unique_ptr<Message>(prototype != nullptr ? prototype->New() : nullptr);
}

void ProtobufAny::set(Message& any, std::string type_url, std::string value) {
  any.GetReflection()->SetString(&any, field_of(any, 1), std::move(type_url));
  any.GetReflection()->SetString(&any, field_of(any, 2), std::move(value));
}

bool has_json_of_its_own(const Descriptor& type) {
  return type.well_known_type() != Descriptor::WELLKNOWNTYPE_UNSPECIFIED;
}

}  // namespace trunkline::codec
