// SPDX-License-Identifier: MIT
// Comments as protoc keeps them: each line with the blank that stands behind the slashes.
#include "service/comments.h"

#include <algorithm>

namespace trunkline::service {

namespace {

using google::protobuf::SourceCodeInfo;

template <class Path>
bool has_comment(const SourceCodeInfo& info, const Path& path) {
  return std::any_of(info.location().begin(), info.location().end(), [&](const SourceCodeInfo::Location& location) {
    return (location.has_leading_comments() || location.has_trailing_comments()) &&
           std::equal(location.path().begin(), location.path().end(), path.begin(), path.end());
  });
}

}  // namespace

void add_comment(SourceCodeInfo& info, const std::vector<int>& path, std::string_view text) {
  if (text.empty() || has_comment(info, path)) return;
  SourceCodeInfo::Location& location = *info.add_location();
  location.mutable_path()->Add(path.begin(), path.end());
  // It has none; a descriptor without one is not valid.
  location.mutable_span()->Resize(3, 0);
  std::string& comment = *location.mutable_leading_comments();
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    comment.append(line.empty() ? "" : " ").append(line).append("\n");
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

void add_comments(SourceCodeInfo& info, const SourceCodeInfo& added) {
  for (const SourceCodeInfo::Location& location : added.location()) {
    if (!has_comment(info, location.path())) *info.add_location() = location;
  }
}

}  // namespace trunkline::service
