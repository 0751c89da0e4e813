// SPDX-License-Identifier: MIT
// Writes services, methods and messages as .proto text with their comments.
#pragma once

#include "cli/schema/schema.h"

#include <google/protobuf/descriptor.h>

#include <string>

namespace trunkline::cli::schema {

/// Returns the methods of a service with their signatures and comments.
std::string describe_service(const google::protobuf::ServiceDescriptor& service);

/// Returns the method, its request and response, and the types that they contain, except those of google.protobuf.
std::string describe_method(const SchemaMethod& method);

/// Returns a message or an enum, and the types that it contains; empty if there is none of that name.
std::string describe_type(const google::protobuf::DescriptorPool& pool, const std::string& name);

}  // namespace trunkline::cli::schema
