// SPDX-License-Identifier: MIT
// describe_status(): describes a status for people.
#pragma once

#include <trunkline/status.h>

#include <google/protobuf/descriptor.h>

#include <string>

namespace trunkline::cli::output {

/// Returns "not_found: no such user", and one line per detail, in JSON if `pool` (may be null) knows its type.
std::string describe_status(const Status& status, const google::protobuf::DescriptorPool* pool);

}  // namespace trunkline::cli::output
