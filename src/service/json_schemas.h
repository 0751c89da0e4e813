// SPDX-License-Identifier: MIT
// JsonSchemas: makes JSON Schema for the types of messages, as OpenAPI uses it.
#pragma once

#include <trunkline/message.h>
#include <trunkline/type_description.h>
#include <trunkline/value.h>

#include <google/protobuf/descriptor.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace trunkline::service {

class JsonSchemas {
 public:
  /// Returns the schema of a message in JSON; that of everything if the type says nothing of itself.
  Value of(const MessageType& type);
  /// Adds a component of this name, or replaces it.
  void set(std::string_view name, Value schema) { components_[std::string(name)] = std::move(schema); }
  /// Returns the components to which the schemas refer, by name.
  Value components() const;
  static Value reference(std::string_view name);

 private:
  Value of(const TypeDescription& type);
  Value structure(const TypeDescription& type);
  Value message(const google::protobuf::Descriptor& descriptor);
  Value field(const google::protobuf::FieldDescriptor& field);
  Value single(const google::protobuf::FieldDescriptor& field);
  Value enumeration(const google::protobuf::EnumDescriptor& descriptor);

  std::map<std::string, Value> components_;
  /// The names of structures, which may be the same for several types.
  std::map<const TypeDescription*, std::string> names_;
};

}  // namespace trunkline::service
