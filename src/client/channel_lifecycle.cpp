// SPDX-License-Identifier: MIT
// ChannelLifecycle: the table of states and events.
#include "client/channel_lifecycle.h"

namespace trunkline {

std::string_view to_string(ChannelState state) noexcept {
  switch (state) {
    case ChannelState::idle:
      return "idle";
    case ChannelState::connecting:
      return "connecting";
    case ChannelState::ready:
      return "ready";
    case ChannelState::failing:
      return "failing";
    case ChannelState::closed:
      return "closed";
  }
  return "unknown";
}

}  // namespace trunkline

namespace trunkline::client {

namespace {

using State = ChannelLifecycle::State;
using Action = ChannelLifecycle::Action;

constexpr ChannelLifecycle::Transition to(State next, Action action = Action::none) { return {action, next}; }

constexpr Action ready = Action::finish_ready_waiters;
constexpr Action begin = Action::begin_close;
constexpr Action finish = Action::finish_close_waiters;

/// One row for each state, one column for each event, in the order of their enumerators.
///
/// - Until the channel is closed, its state is what the pool reports. `detach` normally follows `close`. If it does
///   not, it closes the channel as well.
/// - Once the channel is closed, only the end of the last connection changes the state. A further close() waits for
///   that too, or returns at once if it has happened.
constexpr ChannelLifecycle::Transition table[ChannelLifecycle::state_count][ChannelLifecycle::event_count] = {
    // idle: pool_empty, pool_draining, pool_connecting, pool_ready, pool_failing, close, detach
    {to(State::idle), to(State::idle), to(State::connecting), to(State::ready, ready), to(State::failing),
     to(State::closing, begin), to(State::detached, begin)},
    // connecting
    {to(State::idle), to(State::idle), to(State::connecting), to(State::ready, ready), to(State::failing),
     to(State::closing, begin), to(State::detached, begin)},
    // ready
    {to(State::idle), to(State::idle), to(State::connecting), to(State::ready), to(State::failing),
     to(State::closing, begin), to(State::detached, begin)},
    // failing
    {to(State::idle), to(State::idle), to(State::connecting), to(State::ready, ready), to(State::failing),
     to(State::closing, begin), to(State::detached, begin)},
    // closing
    {to(State::closed, finish), to(State::closing), to(State::closing), to(State::closing), to(State::closing),
     to(State::closing), to(State::detached, finish)},
    // closed
    {to(State::closed), to(State::closed), to(State::closed), to(State::closed), to(State::closed),
     to(State::closed, finish), to(State::detached)},
    // detached
    {to(State::detached), to(State::detached), to(State::detached), to(State::detached), to(State::detached),
     to(State::detached, finish), to(State::detached)},
};

}  // namespace

const ChannelLifecycle::Transition& ChannelLifecycle::transition(State state, Event event) noexcept {
  return table[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

ChannelState ChannelLifecycle::state() const noexcept {
  switch (current()) {
    case State::idle:
      return ChannelState::idle;
    case State::connecting:
      return ChannelState::connecting;
    case State::ready:
      return ChannelState::ready;
    case State::failing:
      return ChannelState::failing;
    case State::closing:
    case State::closed:
    case State::detached:
      break;
  }
  return ChannelState::closed;
}

}  // namespace trunkline::client
