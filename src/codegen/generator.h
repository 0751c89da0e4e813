// SPDX-License-Identifier: MIT
// The plugin as a function: what protoc asks, and what it is answered.
#pragma once

#include <google/protobuf/compiler/plugin.pb.h>

namespace trunkline::codegen {

/// Never throws: what is wrong with the request stands in the response's error, and then no file does.
google::protobuf::compiler::CodeGeneratorResponse generate(
    const google::protobuf::compiler::CodeGeneratorRequest& request);

}  // namespace trunkline::codegen
