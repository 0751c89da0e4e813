// SPDX-License-Identifier: MIT
// The names that generated C++ gives to the parts of a definition.
#pragma once

#include "codegen/cpp_keywords.h"
#include "codegen/definition.h"
#include "codegen/type_index.h"

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

/// Returns a/b/hello for a/b/hello.proto; also removes .protodevel, as protoc does.
std::string_view without_extension(std::string_view file);

/// Returns the class that this protoc generates for a message: ::a::b::Outer_Inner.
std::string cpp_class_of(const MessageLocation& type, ProtocRelease release);

/// Returns the namespaces of a package, outermost first; empty for the global one.
std::vector<std::string> cpp_namespaces_of(std::string_view package, ProtocRelease release);

/// Returns the classes of a file's services, in order. No class has the name of a message of its package, or of one of
/// its own members.
std::vector<std::string> cpp_service_classes(const FileDefinition& file, const TypeIndex& types);

/// The names of the methods in the class of one service, in order.
struct CppMethodNames {
  /// The structs in Methods: SayHello.
  std::vector<std::string> descriptions;
  /// The member functions of the server and the members of the client: say_hello.
  std::vector<std::string> functions;
  /// A parameter name that shadows no member of the client.
  std::string channel;
};
CppMethodNames cpp_method_names(const ServiceDefinition& service);

}  // namespace trunkline::codegen
