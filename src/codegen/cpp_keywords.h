// SPDX-License-Identifier: MIT
// Knows the words that cannot be names in C++, and those that protoc avoids.
#pragma once

#include <string_view>

namespace trunkline::codegen {

/// Returns true for a keyword of C++20 and for a macro that the headers of the library or the system define.
bool is_cpp_reserved(std::string_view name);

/// The release that protoc's C++ depends on: 21 for 3.21 and 21.x, 27 for 27.x.
using ProtocRelease = int;

/// Returns true if that protoc appends an underscore to messages of this name.
bool is_escaped_class(std::string_view name, ProtocRelease release);

/// Returns true if that protoc appends an underscore to a package part of this name.
bool is_escaped_namespace(std::string_view name, ProtocRelease release);

}  // namespace trunkline::codegen
