// SPDX-License-Identifier: MIT
// The names that generated Python gives to the parts of a definition.
#pragma once

#include "codegen/definition.h"

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

bool is_python_keyword(std::string_view name);

/// Returns true if the name can be written after a dot, even in the body of a class, where Python mangles names that
/// begin with two underscores.
bool is_plain_attribute(std::string_view name);

/// Returns `text` with an underscore for each byte that is not allowed in an ASCII identifier.
std::string as_identifier(std::string_view text);

/// Returns the name that protoc gives to a module: a.b_c.hello_pb2 for a/b-c/hello.proto and _pb2.
std::string python_module_of(std::string_view file, std::string_view suffix);

/// Returns a/b/hello_pb2.py for a.b.hello_pb2 and .py.
std::string python_file_of(std::string_view module, std::string_view extension);

/// The four classes of one service.
struct PythonClasses {
  /// HelloService, for the service Hello and for the service HelloService.
  std::string service;
  /// AsyncHelloService.
  std::string async_service;
  /// HelloClient.
  std::string client;
  /// AsyncHelloClient.
  std::string async_client;
};

/// Returns the classes of the services of a file, in order.
std::vector<PythonClasses> python_classes(const FileDefinition& file);

/// Returns the functions of a service's methods, in order: say_hello. None has a name that generated modules import.
std::vector<std::string> python_functions(const ServiceDefinition& service);

}  // namespace trunkline::codegen
