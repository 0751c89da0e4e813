// SPDX-License-Identifier: MIT
// The definitions that come with protobuf, google/protobuf/..., also where protobuf is linked statically.
#pragma once

#include <google/protobuf/descriptor.h>

#include <span>

namespace trunkline::cli::schema {

/// All of them, found in the pool of the definitions that are compiled into this program. A static linker drops those
/// that nothing refers to; whoever reads that pool calls this.
std::span<const google::protobuf::FileDescriptor* const> well_known_files();

}  // namespace trunkline::cli::schema
