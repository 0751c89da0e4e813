// SPDX-License-Identifier: MIT
// DerivedFile: derives messages from types, as docs/decisions/0010 describes.
#include "service/derived_file.h"

#include "service/descriptor_comments.h"
#include "service/descriptor_names.h"
#include "trunkline/v1/options.pb.h"

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/wrappers.pb.h>

#include <algorithm>

namespace trunkline::service {

namespace protobuf = google::protobuf;

namespace {

/// Returns the codec of a method's request, or else of its response; empty if that is protobuf.
std::string_view codec_of(const MethodInfo& info) {
  for (const MessageType* type : {info.request, info.response}) {
    if (type == nullptr || type->kind == MessageKind::none) continue;
    if (type->kind == MessageKind::protobuf) return {};
    // A type with a value form is msgpack or JSON. std::string, which is bytes as well, is among them.
    return type->to_value != nullptr ? std::string_view("msgpack") : type->default_codec;
  }
  return {};
}

bool has_method(const protobuf::ServiceDescriptorProto& service, const std::string& name) {
  return std::any_of(service.method().begin(), service.method().end(),
                     [&](const auto& method) { return method.name() == name; });
}

/// Returns the type inside any number of optionals.
const TypeDescription& without_optional(const TypeDescription& type) {
  const TypeDescription* inner = &type;
  while (inner->kind == TypeKind::optional) inner = &inner->element();
  return *inner;
}

const protobuf::Descriptor& wrapper_of(const TypeDescription& type) {
  switch (type.kind) {
    case TypeKind::boolean:
      return *protobuf::BoolValue::descriptor();
    case TypeKind::integer:
      if (type.bits > 32) {
        return type.is_signed ? *protobuf::Int64Value::descriptor() : *protobuf::UInt64Value::descriptor();
      }
      return type.is_signed ? *protobuf::Int32Value::descriptor() : *protobuf::UInt32Value::descriptor();
    case TypeKind::floating:
      return type.bits > 32 ? *protobuf::DoubleValue::descriptor() : *protobuf::FloatValue::descriptor();
    case TypeKind::text:
      return *protobuf::StringValue::descriptor();
    case TypeKind::bytes:
      return *protobuf::BytesValue::descriptor();
    case TypeKind::list:
      return *protobuf::ListValue::descriptor();
    case TypeKind::map:
      return *protobuf::Struct::descriptor();
    default:
      return *protobuf::Value::descriptor();
  }
}

/// Returns a name for the field that is not in `taken`, nor is the name of its map entry. Adds both to `taken`.
std::string free_field_name(const TypeDescription::Field& field, std::set<std::string>& taken) {
  const std::string wanted = identifier_of(field.name);
  const bool is_map = without_optional(field.type()).kind == TypeKind::map;
  std::string name = wanted;
  std::string core = core_of(name);
  for (int next = 2; taken.contains(core) || (is_map && taken.contains(core + "entry")); ++next) {
    name = wanted + std::to_string(next);
    core = core_of(name);
  }
  if (is_map) taken.insert(core + "entry");
  taken.insert(std::move(core));
  return name;
}

}  // namespace

DerivedFile::DerivedFile(std::string_view service, Detail detail, const protobuf::DescriptorPool& pool,
                         DerivedTypes& types)
    : detail_(detail), pool_(pool), types_(types), service_(*file_.add_service()) {
  file_.set_name("trunkline/derived/" + std::string(service) + ".proto");
  file_.set_package(std::string(package_of(service)));
  file_.set_syntax("proto3");
  service_.set_name(std::string(last_part_of(service)));
}

void DerivedFile::add_method(std::string_view name, const MethodInfo& info) {
  protobuf::MethodDescriptorProto method;
  const std::string wanted = identifier_of(name);
  method.set_name(wanted);
  for (int next = 2; has_method(service_, method.name()); ++next) method.set_name(wanted + std::to_string(next));
  method.set_input_type(message_type(info.request, info.request_type));
  method.set_output_type(message_type(info.response, info.response_type));
  if (info.kind == MethodKind::client_stream || info.kind == MethodKind::bidirectional) {
    method.set_client_streaming(true);
  }
  if (info.kind == MethodKind::server_stream || info.kind == MethodKind::bidirectional) {
    method.set_server_streaming(true);
  }
  if (info.no_side_effects) {
    method.mutable_options()->set_idempotency_level(protobuf::MethodOptions::NO_SIDE_EFFECTS);
  } else if (info.idempotent) {
    method.mutable_options()->set_idempotency_level(protobuf::MethodOptions::IDEMPOTENT);
  }

  const std::string package = file_.package().empty() ? "" : file_.package() + ".";
  const bool has_own_path = info.name != package + service_.name() + "/" + method.name();
  const std::string_view codec = codec_of(info);
  if (has_own_path || !codec.empty()) {
    v1::MethodFacts& facts = *method.mutable_options()->MutableExtension(v1::method);
    if (has_own_path) facts.set_path(info.name);
    facts.set_codec(std::string(codec));
    import(v1::MethodFacts::descriptor()->file()->name());
  }
  add_comment(*file_.mutable_source_code_info(), path_of_method(0, service_.method_size()), info.description);
  *service_.add_method() = std::move(method);
}

void DerivedFile::describe(std::string_view description) {
  add_comment(*file_.mutable_source_code_info(), path_of_service(0), description);
}

std::string DerivedFile::message_type(const MessageType* type, const std::string& name) {
  if (type == nullptr || type->kind == MessageKind::none) return known_type(*protobuf::Empty::descriptor());
  if (type->kind == MessageKind::protobuf) {
    const protobuf::Descriptor* known = pool_.FindMessageTypeByName(name);
    return known_type(known != nullptr ? *known : *protobuf::BytesValue::descriptor());
  }
  if (type->kind == MessageKind::value || detail_ == Detail::none) {
    return known_type(*protobuf::Value::descriptor());
  }
  if (type->describe == nullptr) {
    // std::string, whose codec is msgpack here, is a text there.
    const bool is_text = type->kind == MessageKind::bytes && type->to_value != nullptr;
    return known_type(is_text ? *protobuf::StringValue::descriptor() : *protobuf::BytesValue::descriptor());
  }
  return type_of_message(type->describe());
}

std::string DerivedFile::type_of_message(const TypeDescription& type) {
  const TypeDescription& inner = without_optional(type);
  return inner.kind == TypeKind::structure ? structure_type(inner) : known_type(wrapper_of(inner));
}

std::string DerivedFile::known_type(const protobuf::Descriptor& descriptor) {
  import(descriptor.file()->name());
  return "." + descriptor.full_name();
}

void DerivedFile::import(const std::string& file) {
  const auto& known = file_.dependency();
  if (file != file_.name() && std::find(known.begin(), known.end(), file) == known.end()) file_.add_dependency(file);
}

std::string DerivedFile::free_name(std::string_view wanted) const {
  const std::string package = file_.package().empty() ? "" : file_.package() + ".";
  const std::string name = identifier_of(wanted);
  const auto is_taken = [&](const std::string& candidate) {
    return candidate == service_.name() || pool_.FindFileContainingSymbol(package + candidate) != nullptr ||
           std::any_of(file_.message_type().begin(), file_.message_type().end(),
                       [&](const auto& message) { return message.name() == candidate; });
  };
  std::string candidate = name;
  for (int next = 2; is_taken(candidate); ++next) candidate = name + std::to_string(next);
  return candidate;
}

std::string DerivedFile::structure_type(const TypeDescription& type) {
  const auto [found, is_new] = types_.messages.try_emplace({file_.package(), &type});
  DerivedTypes::Message& message = found->second;
  if (!is_new) {
    import(message.file);
    return "." + message.full_name;
  }
  const std::string name = free_name(type.name);
  message = {file_.package().empty() ? name : file_.package() + "." + name, file_.name()};
  // The message is added before the structures in it are described, which may refer to it and which may move it.
  const int index = file_.message_type_size();
  file_.add_message_type()->set_name(name);
  protobuf::DescriptorProto described;
  described.set_name(name);
  describe_structure(type, described);
  *file_.mutable_message_type(index) = std::move(described);
  return "." + message.full_name;
}

void DerivedFile::describe_structure(const TypeDescription& type, protobuf::DescriptorProto& out) {
  std::set<std::string> taken;
  for (const TypeDescription::Field& field : type.fields) add_field(field, taken, out);
  // Protobuf wants these oneofs after all others, of which there are none.
  for (Field& field : *out.mutable_field()) {
    if (!field.proto3_optional()) continue;
    field.set_oneof_index(out.oneof_decl_size());
    out.add_oneof_decl()->set_name("_" + field.name());
  }
}

void DerivedFile::add_field(const TypeDescription::Field& field, std::set<std::string>& taken,
                            protobuf::DescriptorProto& out) {
  Field& added = *out.add_field();
  added.set_name(free_field_name(field, taken));
  added.set_json_name(std::string(field.name));
  added.set_number(out.field_size());
  added.set_label(Field::LABEL_OPTIONAL);
  const TypeDescription& type = field.type();
  const TypeDescription& inner = without_optional(type);
  if (inner.kind == TypeKind::list) {
    added.set_label(Field::LABEL_REPEATED);
    set_type(inner.element(), added);
  } else if (inner.kind == TypeKind::map) {
    set_map(inner, added, out);
  } else {
    set_type(inner, added);
    if (&inner != &type && added.type() != Field::TYPE_MESSAGE) added.set_proto3_optional(true);
  }
}

void DerivedFile::set_map(const TypeDescription& type, Field& out, protobuf::DescriptorProto& owner) {
  protobuf::DescriptorProto& entry = *owner.add_nested_type();
  entry.set_name(map_entry_name(out.name()));
  entry.mutable_options()->set_map_entry(true);
  Field& key = *entry.add_field();
  key.set_name("key");
  key.set_number(1);
  key.set_label(Field::LABEL_OPTIONAL);
  key.set_type(Field::TYPE_STRING);
  Field& value = *entry.add_field();
  value.set_name("value");
  value.set_number(2);
  value.set_label(Field::LABEL_OPTIONAL);
  set_type(type.element(), value);
  out.set_label(Field::LABEL_REPEATED);
  out.set_type(Field::TYPE_MESSAGE);
  const std::string package = file_.package().empty() ? "" : "." + file_.package();
  out.set_type_name(package + "." + owner.name() + "." + entry.name());
}

void DerivedFile::set_type(const TypeDescription& type, Field& out) {
  switch (type.kind) {
    case TypeKind::boolean:
      return out.set_type(Field::TYPE_BOOL);
    case TypeKind::integer:
      if (type.bits > 32) return out.set_type(type.is_signed ? Field::TYPE_INT64 : Field::TYPE_UINT64);
      return out.set_type(type.is_signed ? Field::TYPE_INT32 : Field::TYPE_UINT32);
    case TypeKind::floating:
      return out.set_type(type.bits > 32 ? Field::TYPE_DOUBLE : Field::TYPE_FLOAT);
    case TypeKind::text:
      return out.set_type(Field::TYPE_STRING);
    case TypeKind::bytes:
      return out.set_type(Field::TYPE_BYTES);
    case TypeKind::structure:
      out.set_type(Field::TYPE_MESSAGE);
      return out.set_type_name(structure_type(type));
    case TypeKind::list:
    case TypeKind::map:
    case TypeKind::optional:
    case TypeKind::any:
      out.set_type(Field::TYPE_MESSAGE);
      return out.set_type_name(known_type(wrapper_of(type)));
  }
}

}  // namespace trunkline::service
