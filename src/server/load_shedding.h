// SPDX-License-Identifier: MIT
// LoadShedding: the adaptive limit that all loops of a server share, and the status of shed calls.
#pragma once

#include "base/clock.h"
#include "server/adaptive_limit.h"

#include <trunkline/overload_options.h>
#include <trunkline/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

namespace trunkline::server {

/// Decides which calls are shed. It is thread-safe.
class LoadShedding {
 public:
  explicit LoadShedding(const OverloadOptions& options);
  LoadShedding(const LoadShedding&) = delete;
  LoadShedding& operator=(const LoadShedding&) = delete;

  bool has_limit() const noexcept { return has_limit_; }
  std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  std::size_t running() const noexcept { return running_.load(std::memory_order_relaxed); }
  /// Counts a call that begins, if fewer than `limit` run. Returns how many run with it, or 0 if there is no room.
  std::size_t enter(std::size_t limit) noexcept {
    const std::size_t running = running_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (running <= limit) return running;
    leave();
    return 0;
  }
  void leave() noexcept { running_.fetch_sub(1, std::memory_order_relaxed); }
  /// Reports that a call that has entered as one of `in_flight` has run to its end.
  void add_latency(base::TimePoint now, base::Duration latency, std::size_t in_flight);

  /// Counts a call that is shed for the reason `why`, and returns its status: unavailable, not run, with a pause that
  /// differs from call to call, so that the calls do not come back all at once.
  Status shed(std::string_view method, std::string_view why);
  std::uint64_t calls_shed() const noexcept { return calls_shed_.load(std::memory_order_relaxed); }

 private:
  const bool has_limit_;
  std::atomic<std::size_t> limit_;
  std::atomic<std::size_t> running_{0};
  std::atomic<std::uint64_t> calls_shed_{0};
  /// The shortest pause that calls are told, in milliseconds.
  std::atomic<std::int64_t> pause_;
  const std::int64_t least_pause_;
  /// Guards adaptive_.
  std::mutex mutex_;
  AdaptiveLimit adaptive_;
};

}  // namespace trunkline::server
