// SPDX-License-Identifier: MIT
// TypeIndex: where each message of a request is defined.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

struct MessageType {
  std::string file;               ///< a/b/hello.proto
  std::string package;            ///< a.b; may be empty
  std::vector<std::string> path;  ///< Outer, Inner
};

/// Made of descriptors as they come, without a pool: editions and options that this build's protobuf does not know do
/// no harm.
class TypeIndex {
 public:
  void add(const google::protobuf::FileDescriptorProto& file);

  /// `reference`: a name as descriptors have it, `.a.b.Outer.Inner`. Null if no file defines it.
  const MessageType* find(std::string_view reference) const;

  /// What protoc's C++ has of a package: messages and enumerations, nested ones beside the others (Outer_Inner), and
  /// where the option cc_generic_services is on, services and their stubs.
  const std::set<std::string>& flat_names(const std::string& package) const;

 private:
  void add_nested(const google::protobuf::DescriptorProto& message, const std::string& scope, MessageType outer,
                  const std::string& flat_scope);

  std::map<std::string, MessageType, std::less<>> types_;
  std::map<std::string, std::set<std::string>> flat_names_;
};

}  // namespace trunkline::codegen
