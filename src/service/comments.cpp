// SPDX-License-Identifier: MIT
// Comments as protoc keeps them: each line with the blank that stands behind the slashes.
#include "service/comments.h"

#include <algorithm>

namespace trunkline::service {

namespace {

using google::protobuf::FileDescriptorProto;
using google::protobuf::ServiceDescriptorProto;
using google::protobuf::SourceCodeInfo;

/// The one location of a path, made if there is none: readers differ in which of several they take.
SourceCodeInfo::Location& location_of(SourceCodeInfo& info, const CommentPath& path) {
  for (SourceCodeInfo::Location& known : *info.mutable_location()) {
    if (std::equal(known.path().begin(), known.path().end(), path.begin(), path.end())) return known;
  }
  SourceCodeInfo::Location& made = *info.add_location();
  made.mutable_path()->Add(path.begin(), path.end());
  made.mutable_span()->Resize(3, 0);  // where it stands is not known, but a location without is not valid
  return made;
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
