// SPDX-License-Identifier: MIT
// Lists the definitions that come with protobuf, google/protobuf/..., also where protobuf is linked statically.
#pragma once

#include <google/protobuf/descriptor.h>

#include <span>

namespace trunkline::cli::schema {

/// Returns all of them, from the pool of the definitions that are compiled into this program. A static linker drops
/// those to which nothing refers, so code that reads that pool must call this function.
std::span<const google::protobuf::FileDescriptor* const> well_known_files();

}  // namespace trunkline::cli::schema
