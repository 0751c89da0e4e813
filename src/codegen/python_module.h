// SPDX-License-Identifier: MIT
// Generates the Python module of a file's services, and its stub.
#pragma once

#include "codegen/definition.h"
#include "codegen/python_imports.h"

#include <string>

namespace trunkline::codegen {

/// Returns the text of a/b/hello_trunkline.py.
std::string python_module_text(const FileDefinition& file, const PythonImports& imports);

/// Returns the text of a/b/hello_trunkline.pyi, with the types of the module.
std::string python_stub_text(const FileDefinition& file, const PythonImports& imports);

}  // namespace trunkline::codegen
