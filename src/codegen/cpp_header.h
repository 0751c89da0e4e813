// SPDX-License-Identifier: MIT
// Generates the C++ header of a file's services.
#pragma once

#include "codegen/cpp_keywords.h"
#include "codegen/definition.h"
#include "codegen/type_index.h"

#include <string>

namespace trunkline::codegen {

/// Returns the name of the header: a/b/hello.trunkline.h for a/b/hello.proto.
std::string cpp_header_name(const FileDefinition& file);

/// Returns the text of the header. `release` is that of the protoc whose messages it includes.
std::string cpp_header_text(const FileDefinition& file, const TypeIndex& types, ProtocRelease release);

}  // namespace trunkline::codegen
