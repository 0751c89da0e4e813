// SPDX-License-Identifier: MIT
// generate(): the plugin as a function from the request of protoc to the response.
#pragma once

#include <google/protobuf/compiler/plugin.pb.h>

namespace trunkline::codegen {

/// Never throws: an error in the request becomes the error of the response, which then has no files.
google::protobuf::compiler::CodeGeneratorResponse generate(
    const google::protobuf::compiler::CodeGeneratorRequest& request);

}  // namespace trunkline::codegen
