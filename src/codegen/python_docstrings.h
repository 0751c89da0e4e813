// SPDX-License-Identifier: MIT
// The docstrings of generated Python, which are those of its stubs as well.
#pragma once

#include "codegen/definition.h"
#include "codegen/text_writer.h"

#include <string>

namespace trunkline::codegen {

/// The definition's comment, or if there is none what the class is for; and that it is deprecated.
Comment service_docstring(const ServiceDefinition& service, const std::string& purpose);

/// The same for a method, which says its name if nothing else is known.
Comment method_docstring(const MethodDefinition& method);

void write_docstring(const Comment& text, TextWriter& out);

}  // namespace trunkline::codegen
