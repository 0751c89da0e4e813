// SPDX-License-Identifier: MIT
// PendingCalls: calls that wait for a connection, for room on one, for a circuit breaker, or for the pause before a
// retry.
#pragma once

#include "client/attempt.h"

#include <cstddef>
#include <functional>
#include <string>

namespace trunkline::client {

/// Calls that wait for a connection are in a queue, in order of arrival, until their deadline at the latest. Held and
/// paused calls are in lists of their own, each with its own timer: held ones wait for a circuit breaker, paused ones
/// are about to be repeated. The limit counts those that are queued or held. Only the loop's thread uses this object,
/// which does not own the attempts.
class PendingCalls {
 public:
  struct Hooks {
    /// Describes what queued calls wait for. Used in the error of a call whose deadline has passed.
    std::function<std::string()> reason;
    /// Returns true if a connection that is there takes calls in a moment, so that calls hardly wait.
    std::function<bool()> has_room_soon;
    /// Called when the time of a held call or the pause of a paused one is over, or its deadline has passed.
    std::function<void(Attempt& attempt)> resume;
  };

  /// `limit` is ChannelOptions::max_pending_calls.
  PendingCalls(base::TimerWheel& timers, std::size_t limit, Hooks hooks);
  ~PendingCalls();
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;

  bool empty() const noexcept { return queue_.size == 0 && held_.size == 0 && paused_.size == 0; }
  bool has_queued() const noexcept { return queue_.size > 0; }
  std::size_t queued() const noexcept { return queue_.size; }
  std::size_t paused() const noexcept { return paused_.size; }

  /// Returns the earliest deadline of the queued calls; `never` if there is none.
  base::TimePoint earliest_deadline() const noexcept;

  /// Queues a call until there is a connection. If the limit is reached, fails the call with resource_exhausted unless
  /// its `waits_for_room` is set or Hooks::has_room_soon says that it waits for a moment only.
  void push(Attempt& attempt);
  /// Returns the first call of the queue, which must not be empty.
  const Attempt& front() const noexcept { return *queue_.first; }
  /// Takes the first call out of the queue, which must not be empty.
  Attempt& pop();
  /// Keeps the call out of the queue, where it would hold up others, until `until`, or until its deadline if that comes
  /// first, and then calls `resume`. The limit is that of push().
  void hold(Attempt& attempt, base::TimePoint until);
  /// Keeps the call until `until`, or until its deadline if that comes first, and then calls `resume`.
  void pause(Attempt& attempt, base::TimePoint until);
  /// Removes a call that waits. Returns false if it does not wait.
  bool remove(Attempt& attempt) noexcept;
  /// Fails the queued calls that do not outlast the failure of an attempt to connect: see Attempt::outlasts_failure().
  void fail_fast(const Status& status, bool had_hello);
  /// Tells every call that the service config has changed.
  void rules_changed();
  /// Fails every call that waits. The channel must have stopped accepting calls before.
  void fail_all(const Status& status);

 private:
  struct List {
    Attempt* first = nullptr;
    Attempt* last = nullptr;
    std::size_t size = 0;
  };

  List& list_of(const Attempt& attempt) noexcept {
    if (attempt.waiting_ == Attempt::Waiting::for_connection) return queue_;
    return attempt.waiting_ == Attempt::Waiting::for_breaker ? held_ : paused_;
  }
  /// Admits a call. Returns false if the limit is reached, and the call has failed.
  bool admit(Attempt& attempt);
  void append(Attempt& attempt, Attempt::Waiting waiting, base::TimePoint until);
  void unlink(Attempt& attempt) noexcept;
  Attempt& take_first(List& list) noexcept;
  static void on_timer(Attempt& attempt);

  base::TimerWheel& timers_;
  const std::size_t limit_;
  const Hooks hooks_;
  List queue_;
  List held_;
  List paused_;
};

}  // namespace trunkline::client
