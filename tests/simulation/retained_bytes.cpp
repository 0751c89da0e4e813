// SPDX-License-Identifier: MIT
// Asks AddressSanitizer's allocator.
#include "simulation/retained_bytes.h"

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

std::size_t retained_bytes() noexcept {
#ifdef TRUNKLINE_COUNTS_BYTES
  return __sanitizer_get_current_allocated_bytes();
#else
  return 0;
#endif
}

}  // namespace trunkline::simulation
