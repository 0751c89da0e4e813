// SPDX-License-Identifier: MIT
// ConnectionAge: its two limits, and the spread of ages.
#include "server/connection_age.h"

#include "kit/manual_clock.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace trunkline::server {
namespace {

using namespace std::chrono_literals;
using Expired = ConnectionAge::Expired;

class ConnectionAgeTest : public testing::Test {
 protected:
  void expect_at(ConnectionAge::Limits limits, std::uint64_t random,
                 std::vector<std::pair<base::Duration, Expired>> all) {
    kit::ManualClock clock;
    const base::TimePoint start = clock.now();
    base::TimerWheel timers(start);
    struct Owner {
      base::TimerWheel& timers;
      ConnectionAge* age;
      std::vector<std::pair<base::Duration, Expired>> fired;
      base::TimePoint start;
    } owner{timers, nullptr, {}, start};
    ConnectionAge age(
        limits,
        [](base::Timer&, void* self, base::TimePoint now) {
          auto& to = *static_cast<Owner*>(self);
          to.fired.emplace_back(now - to.start, to.age->expire(to.timers, now));
        },
        &owner);
    owner.age = &age;

    age.begin(timers, start, random);
    for (int i = 0; i < 4000; ++i) {
      clock.advance(10ms);
      timers.advance(clock.now());
    }

    EXPECT_EQ(owner.fired, all);
  }
};

TEST_F(ConnectionAgeTest, HasNoLimitAtFirst) { expect_at({}, 1, {}); }

TEST_F(ConnectionAgeTest, IsWithinATenthOfTheLimit) {
  constexpr std::uint64_t middle = std::uint64_t{1} << 63;
  expect_at({.age = 10s}, 0, {{9s, Expired::age}});
  expect_at({.age = 10s}, middle, {{10s, Expired::age}});
  expect_at({.age = 10s}, ~std::uint64_t{0}, {{11s, Expired::age}});
}

TEST_F(ConnectionAgeTest, GivesCallsTheirGrace) {
  expect_at({.age = 10s, .grace = 5s}, 0, {{9s, Expired::age}, {14s, Expired::grace}});
}

}  // namespace
}  // namespace trunkline::server
