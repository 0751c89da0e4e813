// SPDX-License-Identifier: MIT
// keeps_freed_memory(): says whether the library keeps freed memory.
#include "base/thread_free_lists.h"

namespace trunkline::base {

bool keeps_freed_memory() noexcept {
#ifdef TRUNKLINE_NO_POOLING
  return false;
#else
  return true;
#endif
}

}  // namespace trunkline::base
