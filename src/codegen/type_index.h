// SPDX-License-Identifier: MIT
// TypeIndex: finds the file that defines a message.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

struct MessageLocation {
  /// The file that defines the message, e.g. a/b/hello.proto.
  std::string file;
  /// The package of the message, e.g. a.b; may be empty.
  std::string package;
  /// The names of the message and those around it, e.g. Outer, Inner.
  std::vector<std::string> path;
};

/// An index that is built from raw descriptors without a pool, so editions and options that this build's protobuf does
/// not know are harmless.
class TypeIndex {
 public:
  void add(const google::protobuf::FileDescriptorProto& file);

  /// Returns the type of `reference`, a name as in descriptors: `.a.b.Outer.Inner`. Null if no file defines it.
  const MessageLocation* find(std::string_view reference) const;

  /// Returns the names that protoc's C++ declares in a package: messages and enumerations, nested ones flattened
  /// (Outer_Inner), and services and their stubs if the option cc_generic_services is on.
  const std::set<std::string>& flat_names(const std::string& package) const;

 private:
  void add_nested(const google::protobuf::DescriptorProto& message, const std::string& scope, MessageLocation outer,
                  const std::string& flat_scope);

  std::map<std::string, MessageLocation, std::less<>> types_;
  std::map<std::string, std::set<std::string>> flat_names_;
};

}  // namespace trunkline::codegen
