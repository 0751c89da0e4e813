// SPDX-License-Identifier: MIT
// Words that are no names in C++, and those that protoc takes for such.
#pragma once

#include <string_view>

namespace trunkline::codegen {

/// A keyword of C++20, or a macro that the headers of the library and of a system bring along.
bool is_cpp_reserved(std::string_view name);

/// What protoc's C++ depends on: 21 for 3.21 and 21.x, 27 for 27.x.
using ProtocRelease = int;

/// True if messages of this name get an underscore behind it from that protoc.
bool is_escaped_class(std::string_view name, ProtocRelease release);

/// True if a part of a package of this name does.
bool is_escaped_namespace(std::string_view name, ProtocRelease release);

}  // namespace trunkline::codegen
