// SPDX-License-Identifier: MIT
// HealthState: a server's health, as a table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trunkline::client {

/// The health of a server, which gets calls while it is `serving`.
class HealthState {
 public:
  enum class State : std::uint8_t {
    /// The server is connected, and has not answered yet.
    unknown,
    serving,
    not_serving,
  };
  static constexpr std::size_t state_count = 3;

  enum class Event : std::uint8_t {
    /// The server has been connected again.
    connected,
    said_serving,
    said_not_serving,
    /// There is no watch on this connection: the server refuses it or sends what is no answer, or this side does not
    /// watch, because it is told not to or because the watch would take the place of a call.
    refused,
    /// The watch has ended for another reason.
    broken,
    /// The server has not answered for some time.
    silent,
  };
  static constexpr std::size_t event_count = 6;

  static State next(State state, Event event) noexcept;

  /// Handles an event. Returns true if the state has changed.
  bool on(Event event) noexcept {
    const State before = state_;
    state_ = next(state_, event);
    return state_ != before;
  }
  State state() const noexcept { return state_; }

 private:
  State state_ = State::unknown;
};

}  // namespace trunkline::client
