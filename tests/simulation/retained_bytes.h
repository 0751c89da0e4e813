// SPDX-License-Identifier: MIT
// The memory allocated by the process, where it can be measured exactly.
#pragma once

#include <cstddef>

namespace trunkline::simulation {

/// Bytes allocated and not freed, with AddressSanitizer (which turns the library's pools off); else 0.
std::size_t retained_bytes() noexcept;

}  // namespace trunkline::simulation
