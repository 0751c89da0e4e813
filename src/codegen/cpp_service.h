// SPDX-License-Identifier: MIT
// Generates the C++ class of one service: the descriptions of its methods, the bases for servers, and the client.
#pragma once

#include "codegen/cpp_keywords.h"
#include "codegen/definition.h"
#include "codegen/text_writer.h"

#include <string_view>

namespace trunkline::codegen {

/// Writes the class, which gets the name `name`.
void write_cpp_service(const ServiceDefinition& service, std::string_view name, ProtocRelease release, TextWriter& out);

}  // namespace trunkline::codegen
