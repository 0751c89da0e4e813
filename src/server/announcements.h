// SPDX-License-Identifier: MIT
// Announcements: the announcements of one server.
#pragma once

#include "base/timer_wheel.h"
#include "net/loop.h"
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
  /// `loop` is the first one of the server, which outlives this object.
  explicit Announcements(net::Loop& loop) noexcept : loop_(loop) {}

  /// Adds and starts an announcement. Error: failed_precondition after withdraw() or close().
  Status add(std::unique_ptr<Announcement> announcement);
  /// Returns true if there is an announcement. Any thread may call it.
  bool any() const noexcept { return any_.load(std::memory_order_acquire); }
  /// Withdraws all announcements and calls `done` then, `deadline` at the latest; never after close().
  void withdraw(base::TimePoint deadline, std::function<void()> done);
  /// Makes the `done` of withdraw(), which may have yet to be called, come at `deadline` if that is earlier.
  void withdraw_by(base::TimePoint deadline);
  /// Destroys all announcements.
  void close();

 private:
  void withdrawn();
  void end();
  static void on_deadline(base::Timer& timer, void* self, base::TimePoint now);

  net::Loop& loop_;
  std::vector<std::unique_ptr<Announcement>> all_;
  std::atomic<bool> any_ = false;
  bool is_over_ = false;
  std::size_t left_ = 0;
  std::function<void()> done_;
  /// The earliest one.
  base::TimePoint deadline_ = base::never;
  base::Timer timer_{on_deadline, this};
};

}  // namespace trunkline::server
