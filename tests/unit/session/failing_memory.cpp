// SPDX-License-Identifier: MIT
// An operator new that can fail, for the whole test program.
#include "unit/session/failing_memory.h"

#include <cstdlib>
#include <new>

namespace {

/// Allocations up to the one that fails; 0: none does.
thread_local long left = 0;
thread_local bool fails_on = false;
thread_local bool failed = false;

[[maybe_unused]] bool fails_now() noexcept {
  if (left == 0 || --left > 0) return false;
  failed = true;
  if (fails_on) left = 1;
  return true;
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
bool trunkline::session::FailingMemory::is_supported() noexcept { return false; }
#else
bool trunkline::session::FailingMemory::is_supported() noexcept { return true; }

void* operator new(std::size_t size) {
  void* const memory = fails_now() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace trunkline::session {

FailingMemory::FailingMemory(long nth, Failure failure) noexcept {
  failed = false;
  fails_on = failure == Failure::from_then_on;
  left = nth;
}

FailingMemory::~FailingMemory() { left = 0; }

bool FailingMemory::has_failed() const noexcept { return failed; }

}  // namespace trunkline::session
