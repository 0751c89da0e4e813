// SPDX-License-Identifier: MIT
// DerivedFile: the descriptor of a service without a definition, derived from the types of its methods.
#pragma once

#include <trunkline/method_info.h>
#include <trunkline/type_description.h>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline::service {

/// The structures that have been described so far.
struct DerivedTypes {
  /// The place where a structure has been described.
  struct Message {
    std::string full_name;
    std::string file;
  };
  /// The messages by package and type.
  std::map<std::pair<std::string, const TypeDescription*>, Message> messages;
};

/// The extent to which types are described.
enum class Detail : std::uint8_t {
  full,
  /// Every message that is not protobuf's own is google.protobuf.Value.
  none,
};

class DerivedFile {
 public:
  /// Makes a file. `service` is a full name. `pool` has the protobuf types to which the methods refer. The structures
  /// that are described here are added to `types`. Both must outlive this object.
  DerivedFile(std::string_view service, Detail detail, const google::protobuf::DescriptorPool& pool,
              DerivedTypes& types);

  /// Adds a method. `name` need not be an identifier; it is made one.
  void add_method(std::string_view name, const MethodInfo& info);
  /// Describes the service. Only the first text that is not empty counts.
  void describe(std::string_view description);
  const google::protobuf::FileDescriptorProto& file() const noexcept { return file_; }

 private:
  using Field = google::protobuf::FieldDescriptorProto;

  /// These return a full name with a leading dot, of a type in this file or in one that it imports.
  std::string message_type(const MessageType* type, const std::string& name);
  std::string type_of_message(const TypeDescription& type);
  std::string structure_type(const TypeDescription& type);
  std::string known_type(const google::protobuf::Descriptor& descriptor);
  void import(const std::string& file);
  std::string free_name(std::string_view wanted) const;
  void describe_structure(const TypeDescription& type, google::protobuf::DescriptorProto& out);
  /// Adds a field. `taken` has the core_of() of the names of earlier fields and of their map entries.
  void add_field(const TypeDescription::Field& field, std::set<std::string>& taken,
                 google::protobuf::DescriptorProto& out);
  /// Sets the type of a field with one value. A list, map or optional in it becomes a message of protobuf's own.
  void set_type(const TypeDescription& type, Field& out);
  void set_map(const TypeDescription& type, Field& out, google::protobuf::DescriptorProto& owner);

  const Detail detail_;
  const google::protobuf::DescriptorPool& pool_;
  DerivedTypes& types_;
  google::protobuf::FileDescriptorProto file_;
  google::protobuf::ServiceDescriptorProto& service_;
};

}  // namespace trunkline::service
