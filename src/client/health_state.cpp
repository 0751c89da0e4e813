// SPDX-License-Identifier: MIT
// HealthState: the table of states and events.
#include "client/health_state.h"

namespace trunkline::client {

namespace {

using State = HealthState::State;

/// One row for each state, one column for each event, in the order of their enumerators. A watch that breaks says
/// nothing: the last answer stays in force, and a server that never gave one gets calls.
constexpr State table[HealthState::state_count][HealthState::event_count] = {
    // unknown: connected, said_serving, said_not_serving, refused, broken, silent
    {State::unknown, State::serving, State::not_serving, State::serving, State::serving, State::serving},
    // serving
    {State::unknown, State::serving, State::not_serving, State::serving, State::serving, State::serving},
    // not_serving
    {State::unknown, State::serving, State::not_serving, State::serving, State::not_serving, State::not_serving},
};

}  // namespace

HealthState::State HealthState::next(State state, Event event) noexcept {
  return table[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

}  // namespace trunkline::client
