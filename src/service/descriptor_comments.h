// SPDX-License-Identifier: MIT
// Adds the descriptions of services and methods to their descriptors, as comments.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <string_view>
#include <vector>

namespace trunkline::service {

/// The part of a file to which a comment belongs: field numbers and indices, as in google.protobuf.SourceCodeInfo.
using CommentPath = std::vector<int>;
CommentPath path_of_service(int index);
CommentPath path_of_method(int service, int index);

/// Adds `text`, lines of UTF-8, as the comment before a part of the file. Does nothing if the text is empty or the part
/// has a comment.
void add_comment(google::protobuf::SourceCodeInfo& info, const CommentPath& path, std::string_view text);

}  // namespace trunkline::service
