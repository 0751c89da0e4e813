// SPDX-License-Identifier: MIT
// Descriptions of services and methods, as comments of their descriptors.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <string_view>
#include <vector>

namespace trunkline::service {

/// Adds `text`, lines of UTF-8, as the comment before a part of the file; nothing if it is empty or the part has one.
/// `path`: numbers of fields and indices, as in google.protobuf.SourceCodeInfo.Location.
void add_comment(google::protobuf::SourceCodeInfo& info, const std::vector<int>& path, std::string_view text);

}  // namespace trunkline::service
