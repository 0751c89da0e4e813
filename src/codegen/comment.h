// SPDX-License-Identifier: MIT
// Comments of a definition, and how each language takes them whatever they hold.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

/// Lines without the marks around them, valid UTF-8 without control characters; the first and last are not empty.
using Comment = std::vector<std::string>;

/// What stands before and behind a declaration; what is set apart from it by an empty line is not about it.
Comment comment_of(const google::protobuf::SourceCodeInfo::Location& location);

/// A line for use behind `///`: one that ends in a backslash would take the next line with it, and characters that
/// change the direction of text are refused by compilers.
std::string cpp_comment_line(std::string_view line);

/// C++ string literals, one for each line, that make up the lines with \n between them; ASCII in whatever they hold.
std::vector<std::string> cpp_literals(const Comment& comment);

/// Python source from quotes to quotes, for a docstring; the second and further lines without indentation.
std::vector<std::string> python_docstring(const Comment& comment);

}  // namespace trunkline::codegen
