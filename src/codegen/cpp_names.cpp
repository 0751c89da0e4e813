// SPDX-License-Identifier: MIT
// Makes C++ names: those of protobuf for messages, our own for services and methods.
#include "codegen/cpp_names.h"

#include "codegen/identifier.h"

namespace trunkline::codegen {

std::string_view without_extension(std::string_view file) {
  for (const std::string_view extension : {".protodevel", ".proto"}) {
    if (file.size() >= extension.size() && file.substr(file.size() - extension.size()) == extension) {
      return file.substr(0, file.size() - extension.size());
    }
  }
  return file;
}

std::vector<std::string> cpp_namespaces_of(std::string_view package, ProtocRelease release) {
  if (package.empty()) return {};
  std::vector<std::string> parts = split(package, '.');
  for (std::string& part : parts) {
    if (is_escaped_namespace(part, release)) part += '_';
  }
  return parts;
}

std::string cpp_class_of(const MessageLocation& type, ProtocRelease release) {
  std::string scope = "::";
  for (const std::string& part : cpp_namespaces_of(type.package, release)) scope += part + "::";
  // Each level is escaped separately: `class` and its `Inner` become class__Inner.
  std::string name;
  for (const std::string& part : type.path) {
    name += name.empty() ? part : "_" + part;
    if (is_escaped_class(name, release)) name += '_';
  }
  return scope + name;
}

std::vector<std::string> cpp_service_classes(const FileDefinition& file, const TypeIndex& types) {
  NameScope scope(is_cpp_reserved);
  for (const char* member : {"Client", "Methods", "PartialService", "Service", "full_name"}) scope.reserve(member);
  for (const std::string& name : types.flat_names(file.package)) scope.reserve(name);
  if (file.package.empty()) {
    for (const char* name : {"asio", "google", "main", "std", "trunkline"}) scope.reserve(name);
  }
  std::vector<std::string> wanted;
  for (const ServiceDefinition& service : file.services) wanted.push_back(service.name);
  return scope.take_all(wanted);
}

CppMethodNames cpp_method_names(const ServiceDefinition& service) {
  NameScope descriptions(is_cpp_reserved);
  for (const char* member :
       {"Methods", "Request", "Response", "description", "has_no_side_effects", "is_idempotent", "kind", "name"}) {
    descriptions.reserve(member);
  }
  // A member function of this name would hide the one that Server uses to find the others.
  NameScope functions(is_cpp_reserved);
  functions.reserve("define");

  std::vector<std::string> wanted_descriptions;
  std::vector<std::string> wanted_functions;
  for (const MethodDefinition& method : service.methods) {
    wanted_descriptions.push_back(method.name);
    wanted_functions.push_back(snake_case(method.name));
  }
  CppMethodNames names;
  names.descriptions = descriptions.take_all(wanted_descriptions);
  names.functions = functions.take_all(wanted_functions);
  names.channel = functions.take("channel");
  return names;
}

}  // namespace trunkline::codegen
