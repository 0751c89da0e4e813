// SPDX-License-Identifier: MIT
// EventLoop: one thread's worth of connections and timers.
#pragma once

#include <trunkline/export.h>

#include <chrono>
#include <functional>
#include <memory>

// After a standard header: Asio's configuration differs before the first one (see src/net/asio_sources.cpp).
#include <asio/any_io_executor.hpp>

namespace trunkline {

namespace net {
class Loop;
}

struct EventLoopOptions {
  /// How long a turn that found nothing keeps looking before it sleeps in the kernel; 0: sleeps at once. While there is
  /// nothing to do for many turns in a row the spin shortens to nothing by itself, and returns with traffic. Costs a
  /// core while traffic flows.
  std::chrono::microseconds busy_poll{0};
};

/// Runs on the thread that calls run(); everything that belongs to it (channels made on it, a server's connections)
/// calls back on that thread. post(), stop() and executor() may be used from any thread; the rest only by the owner. No
/// thread is started.
class TRUNKLINE_API EventLoop {
 public:
  explicit EventLoop(EventLoopOptions options = {});
  /// Nothing may use the loop any more; channels and servers on it must be gone.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Serves until stop(). A stop() before run() makes the next run() return at once.
  void run();
  /// Serves for `duration` at most, or until stop().
  void run_for(std::chrono::nanoseconds duration);
  /// Does what is ready without waiting; true if there was anything.
  bool poll();
  void stop();

  /// Runs `task` on the loop's thread, in order of posting.
  void post(std::function<void()> task);
  /// True on the thread that is inside run(), run_for() or poll().
  bool is_current() const noexcept;
  /// For timers, coroutines and sockets of the user's own.
  asio::any_io_executor executor() noexcept;

 private:
  friend class net::Loop;
  std::unique_ptr<net::Loop> loop_;
};

}  // namespace trunkline
