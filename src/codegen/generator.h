// SPDX-License-Identifier: MIT
// generate(): the plugin as a function from the request of protoc to the response.
#pragma once

#include <google/protobuf/compiler/plugin.pb.h>

namespace trunkline::codegen {

/// Generates the files. Never throws: an error in the request makes a response with that error and without files.
google::protobuf::compiler::CodeGeneratorResponse generate(
    const google::protobuf::compiler::CodeGeneratorRequest& request);

}  // namespace trunkline::codegen
