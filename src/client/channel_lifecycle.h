// SPDX-License-Identifier: MIT
// ChannelLifecycle: the states of a channel, from its first call to the streams that outlive it, as a table.
#pragma once

#include <trunkline/channel_state.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace trunkline::client {

/// Any thread may call state(), is_closed() and is_detached(). Only the loop's thread calls on(), or the thread of the
/// channel's destructor once no thread runs the loop.
class ChannelLifecycle {
 public:
  enum class State : std::uint8_t {
    /// No connection is open, and none is being made.
    idle,
    /// A connection is being made, or waits for the server's hello.
    connecting,
    /// At least one connection is open.
    ready,
    /// The last attempt to connect has failed. The next one follows after the backoff.
    failing,
    /// close() or the destructor was called. No call begins any more, and connections finish their last ones.
    closing,
    /// The last connection has closed.
    closed,
    /// The channel is destroyed, and no thread runs the loop for it. Only its streams may be left.
    detached,
  };
  static constexpr std::size_t state_count = 7;

  enum class Event : std::uint8_t {
    /// The pool has no connection and makes none.
    pool_empty,
    /// The pool has only connections that drain: they finish their last calls.
    pool_draining,
    /// The pool makes a connection, or one waits for the server's hello.
    pool_connecting,
    /// At least one connection of the pool is open.
    pool_ready,
    /// The last attempt to connect has failed, and the pool has no connection.
    pool_failing,
    /// close() or the destructor was called.
    close,
    /// The destructor has ended every call.
    detach,
  };
  static constexpr std::size_t event_count = 7;

  /// The action of the channel upon an event.
  enum class Action : std::uint8_t {
    none,
    /// wait_for_ready() returns.
    finish_ready_waiters,
    /// Calls that wait fail, wait_for_ready() fails, and the pool closes its connections after their last calls.
    begin_close,
    /// close() returns.
    finish_close_waiters,
  };

  struct Transition {
    Action action;
    State next;
  };
  static const Transition& transition(State state, Event event) noexcept;

  /// Enters the next state. The caller performs the action.
  Action on(Event event) noexcept {
    const Transition& taken = transition(current(), event);
    current_.store(taken.next, std::memory_order_release);
    return taken.action;
  }

  State current() const noexcept { return current_.load(std::memory_order_acquire); }
  /// Returns the state as users see it.
  ChannelState state() const noexcept;
  /// Returns true if no further call may begin.
  bool is_closed() const noexcept { return current_.load(std::memory_order_relaxed) >= State::closing; }
  bool is_detached() const noexcept { return current() == State::detached; }

 private:
  std::atomic<State> current_{State::idle};
};

}  // namespace trunkline::client
