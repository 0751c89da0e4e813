// SPDX-License-Identifier: MIT
// Every pair of a state and an event.
#include "client/health_state.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace trunkline::client {
namespace {

using State = HealthState::State;
using Event = HealthState::Event;

TEST(HealthState, GoesWhereEachEventLeads) {
  const std::map<std::pair<State, Event>, State> expected{
      {{State::unknown, Event::connected}, State::unknown},
      {{State::unknown, Event::said_serving}, State::serving},
      {{State::unknown, Event::said_not_serving}, State::not_serving},
      {{State::unknown, Event::refused}, State::serving},
      {{State::unknown, Event::broken}, State::serving},
      {{State::unknown, Event::silent}, State::serving},
      {{State::serving, Event::connected}, State::unknown},
      {{State::serving, Event::said_serving}, State::serving},
      {{State::serving, Event::said_not_serving}, State::not_serving},
      {{State::serving, Event::refused}, State::serving},
      {{State::serving, Event::broken}, State::serving},
      {{State::serving, Event::silent}, State::serving},
      {{State::not_serving, Event::connected}, State::unknown},
      {{State::not_serving, Event::said_serving}, State::serving},
      {{State::not_serving, Event::said_not_serving}, State::not_serving},
      {{State::not_serving, Event::refused}, State::serving},
      {{State::not_serving, Event::broken}, State::not_serving},
      {{State::not_serving, Event::silent}, State::not_serving},
  };
  ASSERT_EQ(expected.size(), HealthState::state_count * HealthState::event_count);

  for (const auto& [pair, next] : expected) {
    EXPECT_EQ(HealthState::next(pair.first, pair.second), next)
        << static_cast<int>(pair.first) << ' ' << static_cast<int>(pair.second);
  }
}

TEST(HealthState, ReportsChanges) {
  HealthState health;

  EXPECT_FALSE(health.on(Event::connected));
  EXPECT_TRUE(health.on(Event::said_serving));
  EXPECT_FALSE(health.on(Event::broken));
}

}  // namespace
}  // namespace trunkline::client
