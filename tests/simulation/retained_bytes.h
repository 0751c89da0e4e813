// SPDX-License-Identifier: MIT
// The memory allocated by the process, where it can be measured exactly.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TRUNKLINE_COUNTS_BYTES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRUNKLINE_COUNTS_BYTES 1
#endif
#endif

#ifdef TRUNKLINE_COUNTS_BYTES
// Declared in sanitizer/allocator_interface.h, which g++ does not have.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace trunkline::simulation {

/// Bytes allocated and not freed, with AddressSanitizer (which turns the library's pools off); else 0.
inline std::size_t retained_bytes() noexcept {
#ifdef TRUNKLINE_COUNTS_BYTES
  return __sanitizer_get_current_allocated_bytes();
#else
  return 0;
#endif
}

}  // namespace trunkline::simulation
