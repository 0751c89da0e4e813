// SPDX-License-Identifier: MIT
// ServerLifecycle: says whether a server is idle, runs or stops, by a table of (stage, event) to (action, next stage).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

namespace trunkline::server {

enum class ServerStage : std::uint8_t {
  idle,
  /// start() has been called. Threads run the loops, or the user runs the user's loop.
  started,
  /// run() runs the first loop.
  running,
  /// stop() has begun: the loops close their connections and stop.
  stopping,
  /// No thread is in a loop any more; one thread releases what is left.
  cleaning_up,
  stopped,
};
inline constexpr int server_stages = 6;

enum class ServerEvent : std::uint8_t {
  start,
  /// run() was called for a server that has loops of its own.
  run,
  /// run() was called for a server on the user's loop.
  run_users_loop,
  /// The system has refused a thread, after start or run.
  start_failed,
  /// run() has left the first loop.
  run_ended,
  stop,
  /// A thread that waits for the end of stop() has seen all threads leave the loops.
  clean_up,
  /// The thread of clean_up has released everything.
  cleaned_up,
};
inline constexpr int server_events = 8;

enum class ServerAction : std::uint8_t {
  none,
  /// Start the threads of all loops.
  start_threads,
  /// Start the threads of all loops but the first and run that one here.
  serve,
  /// Wait until the server has stopped.
  wait,
  /// Fail: the server is running already.
  refuse_running,
  /// Fail: the server has been stopped.
  refuse_stopped,
  /// Close listeners and connections on their loops, then stop the loops.
  begin_stop,
  /// Release what is left, then report cleaned_up.
  clean_up,
  /// This must not happen; nothing changes.
  reject,
};

struct ServerTransition {
  ServerAction action;
  ServerStage next;
};

/// Returns the transition of a pair. Every pair has an entry.
ServerTransition transition(ServerStage stage, ServerEvent event) noexcept;

/// The stage of one server, and the number of threads that run its loops. It is thread-safe.
class ServerLifecycle {
 public:
  /// Moves to the next stage and returns what the caller has to do. With start_threads and serve, `runners` threads
  /// count as inside the loops from then on, although they have yet to start: stop() must not miss them. After
  /// begin_stop the caller must call stop_begun().
  ServerAction apply(ServerEvent event, std::size_t runners = 0);
  /// Reports that `count` threads have left their loops, or could not be started.
  void remove_runners(std::size_t count);

  /// Reports that the calling thread has done what begin_stop demands.
  void stop_begun();

  ServerStage stage() const;
  /// Returns true if stop() has begun or ended.
  bool is_stopping() const { return stage() >= ServerStage::stopping; }
  std::size_t runners() const;
  /// Returns true on the thread that is between begin_stop and stop_begun().
  bool begins_stop_here() const;

  /// Waits until stop() has been begun and no thread is in a loop. Must not be called on the thread that begins it.
  void wait_for_runners() const;
  /// Waits until the server has stopped, or no thread is in a loop.
  void wait_for_end() const;
  void wait_until_stopped() const;
  /// Waits until stop() has begun.
  void wait_until_stopping() const;
  /// Waits until `is_done()`, stop() begins, or, with `needs_runner`, no thread is in a loop. Returns is_done(), which
  /// is called with the lock that update() holds.
  bool wait_for(const std::function<bool()>& is_done, bool needs_runner) const;
  /// Calls `change` with the lock of wait_for() and wakes the threads that wait.
  void update(const std::function<void()>& change);

 private:
  /// Guards the members below.
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  ServerStage stage_ = ServerStage::idle;
  std::size_t runners_ = 0;
  /// The thread that is between begin_stop and stop_begun(), if there is one.
  std::thread::id stop_thread_;
};

}  // namespace trunkline::server
