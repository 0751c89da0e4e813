// SPDX-License-Identifier: MIT
// Announcements: the announcements of one server.
#pragma once

#include "server/announcement.h"

#include <trunkline/status.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace trunkline::server {

/// Only the thread of the first loop, or that of the destructor, uses it. Any thread may call any().
class Announcements {
 public:
  /// Adds and starts an announcement. Error: failed_precondition after withdraw() or close().
  Status add(std::unique_ptr<Announcement> announcement);
  /// Returns true if there is an announcement. Any thread may call it.
  bool any() const noexcept { return any_.load(std::memory_order_acquire); }
  /// Withdraws all announcements and calls `done` then, `deadline` at the latest; never after close().
  void withdraw(base::TimePoint deadline, std::function<void()> done);
  /// Destroys all announcements.
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
