// SPDX-License-Identifier: MIT
// Makes the comments of a definition safe for each generated language.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

/// A comment as lines without marks, in UTF-8 without control characters. The first and last lines are not empty.
using Comment = std::vector<std::string>;

/// Returns the comments directly before and after a declaration, unless an empty line separates them from it.
Comment comment_of(const google::protobuf::SourceCodeInfo::Location& location);

/// Returns a line for use after `///`. Escapes a backslash at its end, which would continue the comment on the next
/// line, and characters that change the direction of text, which compilers refuse.
std::string cpp_comment_line(std::string_view line);

/// Returns C++ string literals, one per line, that together are the lines separated by \n. They contain ASCII only.
std::vector<std::string> cpp_literals(const Comment& comment);

/// Returns a docstring in Python source, quotes included; the second and further lines are not indented.
std::vector<std::string> python_docstring(const Comment& comment);

}  // namespace trunkline::codegen
