// SPDX-License-Identifier: MIT
// DerivedFile: the descriptor of a service whose methods have no definition, out of their types.
#pragma once

#include <trunkline/method_handler.h>
#include <trunkline/type_description.h>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline::service {

/// Structures that have been described, by package.
struct DerivedTypes {
  struct Place {
    std::string full_name;
    std::string file;
  };
  std::map<std::pair<std::string, const TypeDescription*>, Place> places;
};

/// How far types are described.
enum class Detail : std::uint8_t {
  full,
  none,  ///< every message that is not protobuf's own is google.protobuf.Value
};

class DerivedFile {
 public:
  /// `service` is a full name. `pool` has the types of protobuf that are referred to; `types` is added to by those that
  /// are described here. Both outlive this.
  DerivedFile(std::string_view service, Detail detail, const google::protobuf::DescriptorPool& pool,
              DerivedTypes& types);

  /// `name` as it is to be called, which need not be an identifier.
  void add_method(std::string_view name, const MethodInfo& info);
  /// What the service is for; the first text that is not empty holds.
  void describe(std::string_view description);
  const google::protobuf::FileDescriptorProto& file() const noexcept { return file_; }

 private:
  using Field = google::protobuf::FieldDescriptorProto;

  /// Full names with a dot before them, of types whose file is imported or this one.
  std::string message_type(const MessageType* type, const std::string& name);
  std::string type_of_whole(const TypeDescription& type);
  std::string structure_type(const TypeDescription& type);
  std::string known_type(const google::protobuf::Descriptor& descriptor);
  void import(const std::string& file);
  std::string free_name(std::string_view wanted) const;
  void describe_structure(const TypeDescription& type, google::protobuf::DescriptorProto& out);
  /// `taken`: the names of the fields before it and of their map entries, without what protobuf tells none apart by.
  void add_field(const TypeDescription::Field& field, std::set<std::string>& taken,
                 google::protobuf::DescriptorProto& out);
  /// A field of a single value, and what stands for several where a field cannot hold them.
  void set_type(const TypeDescription& type, Field& out);
  void set_map(const TypeDescription& type, Field& out, google::protobuf::DescriptorProto& owner);

  const Detail detail_;
  const google::protobuf::DescriptorPool& pool_;
  DerivedTypes& types_;
  google::protobuf::FileDescriptorProto file_;
  google::protobuf::ServiceDescriptorProto& service_;
};

}  // namespace trunkline::service
