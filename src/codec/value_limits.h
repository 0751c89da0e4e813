// SPDX-License-Identifier: MIT
// The rules that every encoding of a Value shares.
#pragma once

#include <trunkline/value.h>

#include <cstddef>

namespace trunkline::codec {

/// The deepest nesting of arrays and objects, including the outermost one.
inline constexpr std::size_t max_value_depth = 64;

/// Returns true if two members have the same name. Takes O(n log n) time.
bool has_repeated_name(const Value::Object& members);

}  // namespace trunkline::codec
