// SPDX-License-Identifier: MIT
// Makes the docstrings of generated Python modules and their stubs.
#pragma once

#include "codegen/definition.h"
#include "codegen/text_writer.h"

#include <string>

namespace trunkline::codegen {

/// Returns the comment of the definition or else the purpose of the class, with a note if it is deprecated.
Comment service_docstring(const ServiceDefinition& service, const std::string& purpose);

/// Returns the comment of a method or else its name, with a note if it is deprecated.
Comment method_docstring(const MethodDefinition& method);

void write_docstring(const Comment& text, TextWriter& out);

}  // namespace trunkline::codegen
