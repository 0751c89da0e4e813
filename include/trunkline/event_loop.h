// SPDX-License-Identifier: MIT
// EventLoop: runs the connections and timers of one thread.
#pragma once

#include <trunkline/detail/export.h>

#include <chrono>
#include <functional>
#include <memory>

// These follow a standard header: Asio's configuration differs before the first one (see src/net/asio_sources.cpp).
#include <asio/any_io_executor.hpp>

namespace trunkline {

namespace net {
class Loop;
}

struct EventLoopOptions {
  /// The time for which the loop keeps polling when there is nothing to do, before it sleeps in the kernel; 0: it
  /// sleeps at once. After many turns without work the polling time shrinks to zero by itself; it returns with traffic.
  /// Polling occupies a core while there is traffic.
  std::chrono::microseconds busy_poll{0};
};

/// An event loop that runs on the thread that calls run(), run_for() or poll(); no thread is started. Everything on the
/// loop (channels created on it, connections of a server) calls back on that thread. post(), stop(), is_current() and
/// executor() may be called from any thread, the other functions only by the owner.
class TRUNKLINE_API EventLoop {
 public:
  explicit EventLoop(EventLoopOptions options = {});
  /// Channels and servers on the loop must be destroyed before it.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Runs until stop(). If stop() was called before, run() returns at once.
  void run();
  /// Runs for `duration`, or until stop().
  void run_for(std::chrono::nanoseconds duration);
  /// Handles what is ready, without waiting. Returns true if there was anything.
  bool poll();
  void stop();

  /// Runs `task` on the loop's thread, in the order of posting.
  void post(std::function<void()> task);
  /// Returns true on the thread that is inside run(), run_for() or poll().
  bool is_current() const noexcept;
  /// Returns an executor for the user's own timers, coroutines and sockets.
  asio::any_io_executor executor() noexcept;

 private:
  friend class net::Loop;
  std::unique_ptr<net::Loop> loop_;
};

}  // namespace trunkline
