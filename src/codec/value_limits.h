// SPDX-License-Identifier: MIT
// The rules that every encoding of a Value shares.
#pragma once

#include <trunkline/value.h>

#include <cstddef>

namespace trunkline::codec {

/// Arrays and objects inside one another, the outermost included.
inline constexpr std::size_t max_value_depth = 64;

/// True if two members have the same name. Takes n log n time.
bool has_repeated_name(const Value::Object& members);

}  // namespace trunkline::codec
