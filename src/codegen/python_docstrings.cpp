// SPDX-License-Identifier: MIT
// Builds docstrings from the comments of the definition.
#include "codegen/python_docstrings.h"

namespace trunkline::codegen {

namespace {

Comment described(Comment text, const std::string& otherwise, bool is_deprecated) {
  if (text.empty()) text.push_back(otherwise);
  if (is_deprecated) text.insert(text.end(), {"", "Deprecated."});
  return text;
}

}  // namespace

Comment service_docstring(const ServiceDefinition& service, const std::string& purpose) {
  return described(service.comment, purpose, service.is_deprecated);
}

Comment method_docstring(const MethodDefinition& method) {
  return described(method.comment, "The method " + method.path + ".", method.is_deprecated);
}

void write_docstring(const Comment& text, TextWriter& out) {
  for (const std::string& line : python_docstring(text)) out.line(line);
}

}  // namespace trunkline::codegen
