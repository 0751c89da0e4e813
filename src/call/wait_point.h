// SPDX-License-Identifier: MIT
// WaitPoint: a thread waits there until another thread signals that its operation is done.
#pragma once

#include <condition_variable>
#include <mutex>

namespace trunkline::call {

/// A point that is used once. The waiter may destroy it as soon as wait() returns.
class WaitPoint {
 public:
  void signal() {
    // The waiter is notified with the mutex held: once it is released, the waiter may destroy this object.
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
