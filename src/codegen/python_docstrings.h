// SPDX-License-Identifier: MIT
// The docstrings of generated Python modules and their stubs.
#pragma once

#include "codegen/definition.h"
#include "codegen/text_writer.h"

#include <string>

namespace trunkline::codegen {

/// The comment of the definition or, if there is none, the purpose of the class; and a note if it is deprecated.
Comment service_docstring(const ServiceDefinition& service, const std::string& purpose);

/// The same for a method; without a comment, its name.
Comment method_docstring(const MethodDefinition& method);

void write_docstring(const Comment& text, TextWriter& out);

}  // namespace trunkline::codegen
