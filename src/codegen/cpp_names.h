// SPDX-License-Identifier: MIT
// The names that generated C++ gives to what a definition holds.
#pragma once

#include "codegen/cpp_keywords.h"
#include "codegen/definition.h"
#include "codegen/type_index.h"

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

/// a/b/hello.proto -> a/b/hello; also .protodevel, as protoc does.
std::string_view without_extension(std::string_view file);

/// The class that this protoc makes of a message: ::a::b::Outer_Inner.
std::string cpp_class_of(const MessageType& type, ProtocRelease release);

/// The namespaces of a package, outermost first; empty for the global one.
std::vector<std::string> cpp_namespaces_of(std::string_view package, ProtocRelease release);

/// The classes of a file's services, in order; none is called as a message of its package, or as what it holds itself.
std::vector<std::string> cpp_service_classes(const FileDefinition& file, const TypeIndex& types);

/// What one service's class calls its methods, in order.
struct CppMethodNames {
  std::vector<std::string> descriptions;  ///< the structures in Methods: SayHello
  std::vector<std::string> functions;     ///< of the server, members of the client: say_hello
  std::string channel;                    ///< a parameter's name that shadows no member of the client
};
CppMethodNames cpp_method_names(const ServiceDefinition& service);

}  // namespace trunkline::codegen
