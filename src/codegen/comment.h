// SPDX-License-Identifier: MIT
// The comments of a definition, made safe for each generated language.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

/// Lines without comment marks: valid UTF-8 without control characters. The first and the last line are not empty.
using Comment = std::vector<std::string>;

/// The comments directly before and after a declaration, without those that an empty line separates from it.
Comment comment_of(const google::protobuf::SourceCodeInfo::Location& location);

/// A line for use after `///`. Escapes a backslash at its end, which would continue the comment on the next line, and
/// characters that change the direction of text, which compilers refuse.
std::string cpp_comment_line(std::string_view line);

/// C++ string literals, one per line, that together are the lines separated by \n. They contain ASCII only.
std::vector<std::string> cpp_literals(const Comment& comment);

/// Python source of a docstring, quotes included; the second and further lines are not indented.
std::vector<std::string> python_docstring(const Comment& comment);

}  // namespace trunkline::codegen
