// SPDX-License-Identifier: MIT
// PendingCalls: calls that wait for a connection, for room on one, or for the end of the pause before a retry.
#pragma once

#include "client/attempt.h"

#include <cstddef>
#include <functional>
#include <string>

namespace trunkline::client {

/// Calls for a connection wait in a queue, in the order in which they came, and at most until their deadline. Paused
/// calls wait beside it, each for its own time. Loop's thread only. Does not own the attempts.
class PendingCalls {
 public:
  struct Hooks {
    /// Says what queued calls wait for, for the text of one whose deadline is over.
    std::function<std::string()> reason;
    /// The pause of a call is over, or its deadline.
    std::function<void(Attempt& attempt)> resume;
  };

  /// `limit`: ChannelOptions::max_pending_calls.
  PendingCalls(base::TimerWheel& timers, std::size_t limit, Hooks hooks);
  ~PendingCalls();
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;

  bool empty() const noexcept { return queue_.size == 0 && paused_.size == 0; }
  bool has_queued() const noexcept { return queue_.size > 0; }
  std::size_t queued() const noexcept { return queue_.size; }
  std::size_t paused() const noexcept { return paused_.size; }

  /// Queues a call for a connection. Fails it with resource_exhausted if the queue is full and it does not wait for
  /// room there.
  void push(Attempt& attempt);
  /// Takes the first call out of the queue, which must not be empty.
  Attempt& pop();
  /// Has the call wait until `until`, or until its deadline if that comes first, and then calls `resume`.
  void pause(Attempt& attempt, base::TimePoint until);
  /// Takes out a call that waits, wherever it waits. False: it does not wait.
  bool remove(Attempt& attempt) noexcept;
  /// Fails the queued calls that do not wait for the channel to be ready.
  void fail_fast(const Status& status);
  /// Fails every call, queued or paused. The channel accepts no further call by then.
  void fail_all(const Status& status);

 private:
  struct List {
    Attempt* first = nullptr;
    Attempt* last = nullptr;
    std::size_t size = 0;
  };

  List& list_of(const Attempt& attempt) noexcept {
    return attempt.waiting_ == Attempt::Waiting::for_connection ? queue_ : paused_;
  }
  void append(Attempt& attempt, Attempt::Waiting waiting, base::TimePoint until);
  void unlink(Attempt& attempt) noexcept;
  Attempt& take_first(List& list) noexcept;
  static void on_timer(Attempt& attempt);

  base::TimerWheel& timers_;
  const std::size_t limit_;
  const Hooks hooks_;
  List queue_;
  List paused_;
};

}  // namespace trunkline::client
