// SPDX-License-Identifier: MIT
// Descriptions of services and methods, as comments of their descriptors.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <string_view>
#include <vector>

namespace trunkline::service {

/// Where the comments of parts of a file are: numbers of fields and indices, as in google.protobuf.SourceCodeInfo.
using CommentPath = std::vector<int>;
CommentPath path_of_service(int index);
CommentPath path_of_method(int service, int index);

/// Adds `text`, lines of UTF-8, as the comment before a part of the file; nothing if it is empty or the part has one.
void add_comment(google::protobuf::SourceCodeInfo& info, const CommentPath& path, std::string_view text);

}  // namespace trunkline::service
