// SPDX-License-Identifier: MIT
// Makes Python names: those of protoc for modules, our own for services and methods.
#include "codegen/python_names.h"

#include "codegen/cpp_names.h"
#include "codegen/identifier.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline::codegen {

namespace {

constexpr std::array python_keywords = std::to_array<std::string_view>(
    {"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
     "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
     "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
     "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"});

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
constexpr bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

constexpr bool is_of_identifier(char letter) { return is_letter(letter) || is_digit(letter); }

// Returns true for names of the generated stub that a method must not have: imports and modules of messages.
// Declarations after a method with such a name would refer to the method.
bool is_reserved_function(std::string_view name) {
  constexpr std::array imports = std::to_array<std::string_view>({"_aio", "_builtins", "_deprecated", "_trunkline"});
  constexpr std::string_view ending = "_pb2";
  return is_python_keyword(name) || std::find(imports.begin(), imports.end(), name) != imports.end() ||
         (name.front() == '_' && name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending);
}

// Returns true if the service TraceService gives its class this name, since no service Trace wants the name.
bool is_named_for_its_class(const ServiceDefinition& service, const FileDefinition& file) {
  constexpr std::string_view ending = "Service";
  const std::string_view name = service.name;
  if (name.size() < ending.size() || name.substr(name.size() - ending.size()) != ending) return false;
  const std::string_view rest = name.substr(0, name.size() - ending.size());
  return std::none_of(file.services.begin(), file.services.end(),
                      [rest](const ServiceDefinition& other) { return other.name == rest; });
}

// Returns a name of a class, whose body mangles names that begin with two underscores.
std::string class_name(std::string_view prefix, std::string_view service, std::string_view suffix) {
  while (service.substr(0, 2) == "__") service.remove_prefix(1);
  return std::string(prefix).append(service).append(suffix);
}

}  // namespace

bool is_python_keyword(std::string_view name) {
  return std::find(python_keywords.begin(), python_keywords.end(), name) != python_keywords.end();
}

bool is_plain_attribute(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) && name.substr(0, 2) != "__" && !is_python_keyword(name) &&
         std::all_of(name.begin(), name.end(), is_of_identifier);
}

std::string as_identifier(std::string_view text) {
  std::string name(text);
  std::replace_if(
      name.begin(), name.end(), [](char letter) { return !is_of_identifier(letter); }, '_');
  return name;
}

std::string python_module_of(std::string_view file, std::string_view suffix) {
  return replaced(replaced(without_extension(file), '-', '_'), '/', '.').append(suffix);
}

std::string python_file_of(std::string_view module, std::string_view extension) {
  return replaced(module, '.', '/').append(extension);
}

std::vector<PythonClasses> python_classes(const FileDefinition& file) {
  // The services Hello and AsyncHello both want the name AsyncHelloService, so names without a prefix are assigned
  // first.
  std::vector<std::string> wanted;
  for (const char* prefix : {"", "Async"}) {
    for (const ServiceDefinition& service : file.services) {
      wanted.push_back(class_name(prefix, service.name, is_named_for_its_class(service, file) ? "" : "Service"));
      wanted.push_back(class_name(prefix, service.name, "Client"));
    }
  }
  const std::vector<std::string> given = NameScope(is_python_keyword).take_all(wanted);
  const std::size_t count = file.services.size();
  std::vector<PythonClasses> classes;
  for (std::size_t i = 0; i < count; ++i) {
    classes.push_back({given[2 * i], given[2 * (count + i)], given[2 * i + 1], given[2 * (count + i) + 1]});
  }
  return classes;
}

std::vector<std::string> python_functions(const ServiceDefinition& service) {
  std::vector<std::string> wanted;
  for (const MethodDefinition& method : service.methods) wanted.push_back(snake_case(method.name));
  return NameScope(is_reserved_function).take_all(wanted);
}

}  // namespace trunkline::codegen
