// SPDX-License-Identifier: MIT
// WaitPoint: where a blocked thread waits until another says that its operation is done.
#pragma once

#include <condition_variable>
#include <mutex>

namespace trunkline::call {

/// Used once. The waiter may destroy it as soon as wait() returns.
class WaitPoint {
 public:
  void signal() {
    // Notified under the lock: afterwards it may be gone.
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
  }
  bool is_done() {
    const std::lock_guard lock(mutex_);
    return done_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

}  // namespace trunkline::call
