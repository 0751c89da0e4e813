// SPDX-License-Identifier: MIT
// Announcements: those of one server.
#pragma once

#include "server/announcement.h"

#include <trunkline/status.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace trunkline::server {

/// For the thread of the first loop, or that of the destructor, except any().
class Announcements {
 public:
  /// Starts it. Error: failed_precondition after withdraw() or close().
  Status add(std::unique_ptr<Announcement> announcement);
  /// There is one. Any thread.
  bool any() const noexcept { return any_.load(std::memory_order_acquire); }
  /// Calls `done` once all of them are withdrawn, `deadline` at the latest; never after close().
  void withdraw(base::TimePoint deadline, std::function<void()> done);
  /// Destroys them.
  void close();

 private:
  void withdrawn();

  std::vector<std::unique_ptr<Announcement>> all_;
  std::atomic<bool> any_ = false;
  bool is_over_ = false;
  std::size_t left_ = 0;
  std::function<void()> done_;
};

}  // namespace trunkline::server
