// SPDX-License-Identifier: MIT
// Makes schema sources that need no server: .proto files and compiled descriptor sets.
#pragma once

#include "cli/schema/schema.h"

#include <memory>
#include <string>
#include <vector>

namespace trunkline::cli::schema {

/// Looks imports up in `folders` or, if there are none, in the folder of each file. The definitions that come with
/// protobuf (google/protobuf/...) need no folder. Throws Failure if a file cannot be read or has errors, with the line.
std::unique_ptr<SchemaSource> read_proto_files(const std::vector<std::string>& files,
                                               const std::vector<std::string>& folders);

/// Reads a FileDescriptorSet as `protoc --include_imports -o` writes it. Throws Failure.
std::unique_ptr<SchemaSource> read_descriptor_set(const std::string& file);

}  // namespace trunkline::cli::schema
