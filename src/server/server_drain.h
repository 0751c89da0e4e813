// SPDX-License-Identifier: MIT
// ServerDrain: the graceful shutdown of a server, as a table of (stage, event) to (action, next stage).
#pragma once

#include <trunkline/status.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace trunkline::server {

enum class DrainStage : std::uint8_t {
  not_begun,
  /// The loops let accepted calls finish.
  draining,
  /// The drain has ended: with all loops, at its timeout or by stop().
  drained,
  /// stop() came without a shutdown before it.
  stopped,
};
inline constexpr int drain_stages = 4;

enum class DrainEvent : std::uint8_t {
  /// A callback is registered by on_shutdown().
  subscribe,
  shutdown,
  last_loop_drained,
  stop,
};
inline constexpr int drain_events = 4;

enum class DrainAction : std::uint8_t {
  none,
  /// Keep the callback until the shutdown begins.
  keep_callback,
  /// The shutdown has begun: call the callback now.
  call_callback,
  /// Call the callbacks and drain the loops.
  begin,
  /// Report the status when the drain ends.
  wait,
  /// Report the status now.
  report,
  /// The drain ends: deadline_exceeded if calls were cut off.
  finish,
  /// The drain ends with aborted.
  abort,
  /// This must not happen; nothing changes.
  reject,
};

struct DrainTransition {
  DrainAction action;
  DrainStage next;
};

/// Returns the transition of a pair. Every pair has an entry.
DrainTransition transition(DrainStage stage, DrainEvent event) noexcept;

/// Reports every shutdown once. It is thread-safe, and calls callbacks without the lock.
class ServerDrain {
 public:
  using Done = std::function<void(Status)>;

  /// Returns `begin` for the first shutdown: the caller must drain `loops` loops, each of which ends with
  /// loop_drained(). Returns `wait` for another one while they drain. `done`, which may be null, gets the status when
  /// the drain ends. If it has ended, `done` gets the status before this returns `report`, and may have destroyed
  /// whatever it likes.
  DrainAction shutdown(std::size_t loops, Done done);
  /// Reports that a loop has closed its last connection and has cut off `cut_off` calls.
  void loop_drained(std::size_t cut_off);
  /// Stops: a drain that has not ended ends with aborted.
  void stop();
  /// Calls `callback` once, when the first shutdown begins; now if it has begun.
  void on_shutdown(std::function<void()> callback);

 private:
  DrainAction apply(DrainEvent event) noexcept;

  /// Guards the members below.
  std::mutex mutex_;
  DrainStage stage_ = DrainStage::not_begun;
  std::size_t loops_left_ = 0;
  std::size_t cut_off_ = 0;
  /// The outcome of the drain; ok if there was none.
  Status status_;
  std::vector<Done> waiting_;
  std::vector<std::function<void()>> callbacks_;
};

}  // namespace trunkline::server
