// SPDX-License-Identifier: MIT
// Writes comments in the form that protoc gives them: each line begins with the blank that follows the slashes.
#include "service/descriptor_comments.h"

#include <algorithm>

namespace trunkline::service {

namespace {

using google::protobuf::FileDescriptorProto;
using google::protobuf::ServiceDescriptorProto;
using google::protobuf::SourceCodeInfo;

/// Returns the location of a path, which is added if it is missing. A path must have one location at most, since
/// readers differ in which of several they use.
SourceCodeInfo::Location& location_of(SourceCodeInfo& info, const CommentPath& path) {
  for (SourceCodeInfo::Location& known : *info.mutable_location()) {
    if (std::equal(known.path().begin(), known.path().end(), path.begin(), path.end())) return known;
  }
  SourceCodeInfo::Location& added = *info.add_location();
  added.mutable_path()->Add(path.begin(), path.end());
  // The place in the source is not known, but a location without one is invalid.
  added.mutable_span()->Resize(3, 0);
  return added;
}

}  // namespace

CommentPath path_of_service(int index) { return {FileDescriptorProto::kServiceFieldNumber, index}; }

CommentPath path_of_method(int service, int index) {
  return {FileDescriptorProto::kServiceFieldNumber, service, ServiceDescriptorProto::kMethodFieldNumber, index};
}

void add_comment(SourceCodeInfo& info, const CommentPath& path, std::string_view text) {
  if (text.empty()) return;
  SourceCodeInfo::Location& location = location_of(info, path);
  if (location.has_leading_comments() || location.has_trailing_comments()) return;
  std::string& comment = *location.mutable_leading_comments();
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    comment.append(line.empty() ? "" : " ").append(line).append("\n");
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

}  // namespace trunkline::service
