// SPDX-License-Identifier: MIT
// An operator new that can fail, for the whole test program.
#include "unit/server/refused_memory.h"

#include <cstdlib>
#include <new>

namespace {

thread_local bool is_refused = false;

}  // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
bool trunkline::server::RefusedMemory::is_supported() noexcept { return false; }
#else
bool trunkline::server::RefusedMemory::is_supported() noexcept { return true; }

void* operator new(std::size_t size) {
  void* const memory = is_refused ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace trunkline::server {

RefusedMemory::RefusedMemory() noexcept { is_refused = true; }

RefusedMemory::~RefusedMemory() { is_refused = false; }

}  // namespace trunkline::server
