// SPDX-License-Identifier: MIT
// Generates the C++ header of a file's services.
#pragma once

#include "codegen/cpp_keywords.h"
#include "codegen/definition.h"
#include "codegen/type_index.h"

#include <string>

namespace trunkline::codegen {

/// a/b/hello.proto -> a/b/hello.trunkline.h
std::string cpp_header_name(const FileDefinition& file);

/// `release`: the release of the protoc whose messages the header includes.
std::string cpp_header_text(const FileDefinition& file, const TypeIndex& types, ProtocRelease release);

}  // namespace trunkline::codegen
