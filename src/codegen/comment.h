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

/// The comments before and behind a declaration. A comment that an empty line separates from it does not belong to it.
Comment comment_of(const google::protobuf::SourceCodeInfo::Location& location);

/// A line for use behind `///`. A backslash at its end would continue the comment on the next line, and compilers
/// refuse characters that change the direction of text.
std::string cpp_comment_line(std::string_view line);

/// C++ string literals, one per line, that form the lines with \n between them. ASCII, whatever the lines contain.
std::vector<std::string> cpp_literals(const Comment& comment);

/// Python source of a docstring, quotes included; the second and further lines are not indented.
std::vector<std::string> python_docstring(const Comment& comment);

}  // namespace trunkline::codegen
