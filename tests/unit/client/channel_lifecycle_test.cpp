// SPDX-License-Identifier: MIT
// Every state with every event.
#include "client/channel_lifecycle.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace trunkline::client {

namespace {

using State = ChannelLifecycle::State;
using Event = ChannelLifecycle::Event;
using Action = ChannelLifecycle::Action;

constexpr std::array states = {State::idle,    State::connecting, State::ready,   State::failing,
                               State::closing, State::closed,     State::detached};
constexpr std::array events = {Event::pool_empty,   Event::pool_draining, Event::pool_connecting, Event::pool_ready,
                               Event::pool_failing, Event::close,         Event::detach};
static_assert(states.size() == ChannelLifecycle::state_count && events.size() == ChannelLifecycle::event_count);

/// Events that lead from idle to each state.
std::vector<Event> path_to(State state) {
  switch (state) {
    case State::idle:
      return {};
    case State::connecting:
      return {Event::pool_connecting};
    case State::ready:
      return {Event::pool_connecting, Event::pool_ready};
    case State::failing:
      return {Event::pool_connecting, Event::pool_failing};
    case State::closing:
      return {Event::pool_ready, Event::close};
    case State::closed:
      return {Event::pool_ready, Event::close, Event::pool_empty};
    case State::detached:
      return {Event::close, Event::pool_empty, Event::detach};
  }
  return {};
}

struct Expectation {
  Action action = Action::none;
  State next = State::idle;
};

/// The rules, written down once more in another form.
Expectation expected(State state, Event event) {
  const bool is_open = state < State::closing;
  if (event == Event::detach) {
    if (is_open) return {Action::begin_close, State::detached};
    return {state == State::closing ? Action::finish_close_waiters : Action::none, State::detached};
  }
  if (event == Event::close) {
    if (is_open) return {Action::begin_close, State::closing};
    return {state == State::closing ? Action::none : Action::finish_close_waiters, state};
  }
  if (!is_open) {
    if (state == State::closing && event == Event::pool_empty) return {Action::finish_close_waiters, State::closed};
    return {Action::none, state};
  }
  switch (event) {
    case Event::pool_connecting:
      return {Action::none, State::connecting};
    case Event::pool_failing:
      return {Action::none, State::failing};
    case Event::pool_ready:
      return {state == State::ready ? Action::none : Action::finish_ready_waiters, State::ready};
    default:
      return {Action::none, State::idle};
  }
}

TEST(ChannelLifecycle, KnowsEveryEventInEveryState) {
  int pairs = 0;
  for (const State state : states) {
    for (const Event event : events) {
      ChannelLifecycle lifecycle;
      for (const Event step : path_to(state)) static_cast<void>(lifecycle.on(step));
      ASSERT_EQ(lifecycle.current(), state);

      const Action action = lifecycle.on(event);

      const auto [wanted_action, wanted_state] = expected(state, event);
      EXPECT_EQ(action, wanted_action) << static_cast<int>(state) << " with " << static_cast<int>(event);
      EXPECT_EQ(lifecycle.current(), wanted_state) << static_cast<int>(state) << " with " << static_cast<int>(event);
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 49);
}

TEST(ChannelLifecycle, ReachesEveryStateFromIdle) {
  for (const State state : states) {
    ChannelLifecycle lifecycle;
    for (const Event step : path_to(state)) static_cast<void>(lifecycle.on(step));
    EXPECT_EQ(lifecycle.current(), state);
  }
}

TEST(ChannelLifecycle, NeverLeavesDetached) {
  for (const Event event : events) {
    EXPECT_EQ(ChannelLifecycle::transition(State::detached, event).next, State::detached);
  }
}

TEST(ChannelLifecycle, ShowsUsersOneStateForAllThatIsClosed) {
  const std::array expected_states = {ChannelState::idle,    ChannelState::connecting, ChannelState::ready,
                                      ChannelState::failing, ChannelState::closed,     ChannelState::closed,
                                      ChannelState::closed};
  for (std::size_t i = 0; i < states.size(); ++i) {
    ChannelLifecycle lifecycle;
    for (const Event step : path_to(states[i])) static_cast<void>(lifecycle.on(step));

    EXPECT_EQ(lifecycle.state(), expected_states[i]);
    EXPECT_EQ(lifecycle.is_closed(), expected_states[i] == ChannelState::closed);
    EXPECT_EQ(lifecycle.is_detached(), states[i] == State::detached);
  }
}

TEST(ChannelState, HasANameForEachValue) {
  EXPECT_EQ(to_string(ChannelState::idle), "idle");
  EXPECT_EQ(to_string(ChannelState::connecting), "connecting");
  EXPECT_EQ(to_string(ChannelState::ready), "ready");
  EXPECT_EQ(to_string(ChannelState::failing), "failing");
  EXPECT_EQ(to_string(ChannelState::closed), "closed");
}

}  // namespace

}  // namespace trunkline::client
