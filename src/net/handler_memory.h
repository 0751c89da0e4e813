// SPDX-License-Identifier: MIT
// HandlerMemory: memory inside an object for its one pending asynchronous operation.
#pragma once

#include <cstddef>
#include <new>

namespace trunkline::net {

/// Serves one allocation at a time from itself, and all others from the heap. It is not thread-safe.
class HandlerMemory {
 public:
  HandlerMemory() = default;
  HandlerMemory(const HandlerMemory&) = delete;
  HandlerMemory& operator=(const HandlerMemory&) = delete;

  void* allocate(std::size_t size) {
    if (in_use_ || size > sizeof(storage_)) return ::operator new(size);
    in_use_ = true;
    return storage_;
  }
  void deallocate(void* memory) noexcept {
    if (memory == storage_) {
      in_use_ = false;
    } else {
      ::operator delete(memory);
    }
  }

 private:
  alignas(std::max_align_t) std::byte storage_[112];
  bool in_use_ = false;
};

/// The allocator that Asio finds by a handler's allocator_type and get_allocator().
template <class T>
class HandlerAllocator {
 public:
  using value_type = T;

  explicit HandlerAllocator(HandlerMemory& memory) noexcept : memory_(&memory) {}
  template <class U>
  HandlerAllocator(const HandlerAllocator<U>& other) noexcept : memory_(other.memory_) {}

  T* allocate(std::size_t count) { return static_cast<T*>(memory_->allocate(count * sizeof(T))); }
  void deallocate(T* pointer, std::size_t) noexcept { memory_->deallocate(pointer); }
  bool operator==(const HandlerAllocator& other) const noexcept { return memory_ == other.memory_; }

 private:
  template <class>
  friend class HandlerAllocator;
  HandlerMemory* memory_;
};

}  // namespace trunkline::net
