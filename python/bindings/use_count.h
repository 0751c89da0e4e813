// SPDX-License-Identifier: MIT
// UseCount: the threads that use an object without the GIL, for which its end waits.
#pragma once

#include "released_gil.h"

#include <atomic>
#include <optional>
#include <thread>

namespace trunkline::python {

class UseCount {
 public:
  /// The use by one thread, which is without the GIL meanwhile. It is made with the GIL, while the object is known to
  /// exist, and ends before the thread takes the GIL back.
  class Use {
   public:
    explicit Use(UseCount& uses) noexcept : count_(uses.count_) {
      count_.fetch_add(1, std::memory_order_relaxed);
      released_.emplace();
    }
    ~Use() { count_.fetch_sub(1, std::memory_order_release); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<int>& count_;
    std::optional<ReleasedGil> released_;
  };

  /// Waits until all uses have ended. Call it without the GIL, once no further use can begin.
  void wait_for_none() const {
    while (count_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  }

 private:
  std::atomic<int> count_{0};
};

}  // namespace trunkline::python
