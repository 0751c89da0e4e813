// SPDX-License-Identifier: MIT
// A status as people read it.
#pragma once

#include <trunkline/status.h>

#include <google/protobuf/descriptor.h>

#include <string>

namespace trunkline::cli {

/// "not_found: no such user", and a line for each detail: JSON where `pool` (may be null) knows its type.
std::string describe_status(const Status& status, const google::protobuf::DescriptorPool* pool);

}  // namespace trunkline::cli
