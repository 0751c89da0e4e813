// SPDX-License-Identifier: MIT
// JsonSchemas: makes the schemas of plain types and of protobuf's messages, as protobuf's JSON mapping has them.
#include "service/json_schemas.h"

#include "service/descriptor_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline::service {

namespace protobuf = google::protobuf;

namespace {

Value typed(std::string_view type) { return Value::object({{"type", type}}); }
Value formatted(Value type, std::string_view format) {
  return Value::object({{"type", std::move(type)}, {"format", format}});
}
Value base64() { return Value::object({{"type", "string"}, {"contentEncoding", "base64"}}); }
/// Returns the schema of a 64-bit integer. JSON has it as a string; numbers are understood too.
Value long_integer(std::string_view format) { return formatted(Value::array({"string", "integer"}), format); }
/// Returns the schema of a floating-point number. Infinite ones and NaN are strings.
Value floating(std::string_view format) { return formatted(Value::array({"number", "string"}), format); }

/// Returns the schema of a well-known type; null for a message that is described by its fields.
const Value* well_known(std::string_view name) {
  static const std::map<std::string_view, Value> all{
      {"google.protobuf.Any", Value::object({{"type", "object"},
                                             {"properties", Value::object({{"@type", typed("string")}})},
                                             {"required", Value::array({"@type"})}})},
      {"google.protobuf.BoolValue", typed("boolean")},
      {"google.protobuf.BytesValue", base64()},
      {"google.protobuf.DoubleValue", floating("double")},
      {"google.protobuf.Duration", Value::object({{"type", "string"}, {"description", "Seconds, and s."}})},
      {"google.protobuf.Empty", typed("object")},
      {"google.protobuf.FieldMask",
       Value::object({{"type", "string"}, {"description", "Paths, separated by commas."}})},
      {"google.protobuf.FloatValue", floating("float")},
      {"google.protobuf.Int32Value", formatted("integer", "int32")},
      {"google.protobuf.Int64Value", long_integer("int64")},
      {"google.protobuf.ListValue", Value::object({{"type", "array"}, {"items", Value::object()}})},
      {"google.protobuf.StringValue", typed("string")},
      {"google.protobuf.Struct", typed("object")},
      {"google.protobuf.Timestamp", formatted("string", "date-time")},
      {"google.protobuf.UInt32Value", formatted("integer", "uint32")},
      {"google.protobuf.UInt64Value", long_integer("uint64")},
      {"google.protobuf.Value", Value::object()},
  };
  const auto found = all.find(name);
  return found != all.end() ? &found->second : nullptr;
}

}  // namespace

Value JsonSchemas::of(const MessageType& type) {
  if (type.descriptor != nullptr) return message(*static_cast<const protobuf::Descriptor*>(type.descriptor()));
  if (type.describe != nullptr) return of(type.describe());
  // Among the types without a description only std::string has a form in JSON.
  return type.kind == MessageKind::bytes && type.to_value != nullptr ? typed("string") : Value::object();
}

Value JsonSchemas::components() const {
  Value all = Value::object();
  for (const auto& [name, schema] : components_) all[name] = schema;
  return all;
}

Value JsonSchemas::reference(std::string_view name) {
  return Value::object({{"$ref", "#/components/schemas/" + std::string(name)}});
}

Value JsonSchemas::of(const TypeDescription& type) {
  switch (type.kind) {
    case TypeKind::any:
      return Value::object();
    case TypeKind::boolean:
      return typed("boolean");
    case TypeKind::integer:
      return formatted("integer", (type.is_signed ? "int" : "uint") + std::to_string(type.bits));
    case TypeKind::floating:
      return formatted("number", type.bits > 32 ? "double" : "float");
    case TypeKind::text:
      return typed("string");
    case TypeKind::bytes:
      return base64();
    case TypeKind::list:
      return Value::object({{"type", "array"}, {"items", of(type.element())}});
    case TypeKind::map:
      return Value::object({{"type", "object"}, {"additionalProperties", of(type.element())}});
    case TypeKind::optional:
      return Value::object({{"anyOf", Value::array({of(type.element()), typed("null")})}});
    case TypeKind::structure:
      return structure(type);
  }
  return Value::object();
}

Value JsonSchemas::structure(const TypeDescription& type) {
  if (const auto known = names_.find(&type); known != names_.end()) return reference(known->second);
  const std::string wanted = identifier_of(type.name);
  std::string name = wanted;
  for (int next = 2; components_.contains(name); ++next) name = wanted + std::to_string(next);
  // The name is added before the fields, which may be of the same type.
  components_[name] = typed("object");
  names_.emplace(&type, name);
  Value properties = Value::object();
  for (const TypeDescription::Field& field : type.fields) properties[field.name] = of(field.type());
  if (properties.size() > 0) components_[name]["properties"] = std::move(properties);
  return reference(name);
}

Value JsonSchemas::message(const protobuf::Descriptor& descriptor) {
  const std::string name(descriptor.full_name());
  if (const Value* const known = well_known(name)) return *known;
  if (components_.contains(name)) return reference(name);
  components_[name] = Value::object({{"type", "object"}, {"title", std::string(descriptor.name())}});
  Value properties = Value::object();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    properties[std::string(descriptor.field(i)->json_name())] = field(*descriptor.field(i));
  }
  if (properties.size() > 0) components_[name]["properties"] = std::move(properties);
  return reference(name);
}

Value JsonSchemas::field(const protobuf::FieldDescriptor& field) {
  if (field.is_map()) {
    return Value::object({{"type", "object"}, {"additionalProperties", single(*field.message_type()->field(1))}});
  }
  if (field.is_repeated()) return Value::object({{"type", "array"}, {"items", single(field)}});
  return single(field);
}

Value JsonSchemas::single(const protobuf::FieldDescriptor& field) {
  using Type = protobuf::FieldDescriptor::CppType;
  switch (field.cpp_type()) {
    case Type::CPPTYPE_INT32:
      return formatted("integer", "int32");
    case Type::CPPTYPE_UINT32:
      return formatted("integer", "uint32");
    case Type::CPPTYPE_INT64:
      return long_integer("int64");
    case Type::CPPTYPE_UINT64:
      return long_integer("uint64");
    case Type::CPPTYPE_DOUBLE:
      return floating("double");
    case Type::CPPTYPE_FLOAT:
      return floating("float");
    case Type::CPPTYPE_BOOL:
      return typed("boolean");
    case Type::CPPTYPE_ENUM:
      return enumeration(*field.enum_type());
    case Type::CPPTYPE_STRING:
      return field.type() == protobuf::FieldDescriptor::TYPE_BYTES ? base64() : typed("string");
    case Type::CPPTYPE_MESSAGE:
      return message(*field.message_type());
  }
  return Value::object();
}

Value JsonSchemas::enumeration(const protobuf::EnumDescriptor& descriptor) {
  const std::string name(descriptor.full_name());
  if (name == "google.protobuf.NullValue") return typed("null");
  if (!components_.contains(name)) {
    Value names = Value::array();
    for (int i = 0; i < descriptor.value_count(); ++i) names.push_back(std::string(descriptor.value(i)->name()));
    components_[name] =
        Value::object({{"type", "string"}, {"title", std::string(descriptor.name())}, {"enum", std::move(names)}});
  }
  return reference(name);
}

}  // namespace trunkline::service
