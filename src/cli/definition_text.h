// SPDX-License-Identifier: MIT
// Services, methods and messages as .proto text with their comments.
#pragma once

#include "cli/schema.h"

#include <google/protobuf/descriptor.h>

#include <string>

namespace trunkline::cli {

/// Its methods with signatures and comments.
std::string describe_service(const google::protobuf::ServiceDescriptor& service);

/// The method, its request and response, and the messages and enums they are made of (those of google.protobuf left
/// out).
std::string describe_method(const MethodFacts& method);

/// A message or an enum with what it is made of; empty if there is none of that name.
std::string describe_type(const google::protobuf::DescriptorPool& pool, const std::string& name);

}  // namespace trunkline::cli
