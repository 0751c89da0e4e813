// SPDX-License-Identifier: MIT
// Every pair of a state and an event, and what opens and closes a breaker.
#include "balance/circuit_breaker.h"

#include "balance/breaker_table.h"

#include <map>
#include <utility>

namespace trunkline::balance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = CircuitBreaker::State;
using Event = CircuitBreaker::Event;
using Action = CircuitBreaker::Action;

TEST(CircuitBreaker, GoesWhereEachEventLeads) {
  const std::map<std::pair<State, Event>, std::pair<Action, State>> expected{
      {{State::closed, Event::served}, {Action::count_served, State::closed}},
      {{State::closed, Event::recovered}, {Action::count_served, State::closed}},
      {{State::closed, Event::failed}, {Action::count_failure, State::closed}},
      {{State::closed, Event::tripped}, {Action::open, State::open}},
      {{State::closed, Event::abandoned}, {Action::none, State::closed}},
      {{State::closed, Event::late}, {Action::none, State::closed}},
      {{State::closed, Event::rested}, {Action::none, State::closed}},
      {{State::open, Event::served}, {Action::none, State::open}},
      {{State::open, Event::recovered}, {Action::none, State::open}},
      {{State::open, Event::failed}, {Action::none, State::open}},
      {{State::open, Event::tripped}, {Action::none, State::open}},
      {{State::open, Event::abandoned}, {Action::none, State::open}},
      {{State::open, Event::late}, {Action::none, State::open}},
      {{State::open, Event::rested}, {Action::begin_probing, State::half_open}},
      {{State::half_open, Event::served}, {Action::count_probe, State::half_open}},
      {{State::half_open, Event::recovered}, {Action::close, State::closed}},
      {{State::half_open, Event::failed}, {Action::open, State::open}},
      {{State::half_open, Event::tripped}, {Action::open, State::open}},
      {{State::half_open, Event::abandoned}, {Action::return_probe, State::half_open}},
      {{State::half_open, Event::late}, {Action::none, State::half_open}},
      {{State::half_open, Event::rested}, {Action::none, State::half_open}},
  };
  ASSERT_EQ(expected.size(), CircuitBreaker::state_count * CircuitBreaker::event_count);

  for (const auto& [pair, result] : expected) {
    const CircuitBreaker::Transition& taken = CircuitBreaker::transition(pair.first, pair.second);
    EXPECT_EQ(std::pair(taken.action, taken.next), result)
        << static_cast<int>(pair.first) << ' ' << static_cast<int>(pair.second);
  }
}

struct OneBreaker {
  explicit OneBreaker(BreakerOptions given = {}) : options(given), breaker(options) {}
  void call(Outcome outcome, int times = 1) {
    for (int i = 0; i < times; ++i) {
      breaker.on_started(now);
      breaker.on_ended(outcome, now, now);
    }
  }

  BreakerOptions options;
  base::TimePoint now{std::chrono::hours(1)};
  CircuitBreaker breaker;
};

TEST(CircuitBreaker, OpensAfterFailuresInARow) {
  OneBreaker one;

  one.call(Outcome::failed, 4);
  one.call(Outcome::served);
  one.call(Outcome::failed, 4);
  EXPECT_TRUE(one.breaker.admits(one.now));
  one.call(Outcome::failed);

  EXPECT_FALSE(one.breaker.admits(one.now));
  EXPECT_EQ(one.breaker.retry_at(one.now), one.now + seconds(5));
}

TEST(CircuitBreaker, DoesNotCountFailuresFarApartAsARow) {
  OneBreaker one;

  for (int i = 0; i < 10; ++i) {
    one.call(Outcome::failed);
    one.now += seconds(10);
  }

  EXPECT_EQ(one.breaker.state(), State::closed);
}

TEST(CircuitBreaker, OpensByTheShareOfFailuresInAWindow) {
  OneBreaker one(BreakerOptions{.consecutive_failures = 0, .min_calls = 10});

  for (int i = 0; i < 4; ++i) one.call(Outcome::failed), one.call(Outcome::served);
  one.now += seconds(10);
  for (int i = 0; i < 4; ++i) one.call(Outcome::failed), one.call(Outcome::served);
  EXPECT_EQ(one.breaker.state(), State::closed) << "the window began anew";
  one.call(Outcome::failed);
  one.call(Outcome::served);
  one.call(Outcome::failed);

  EXPECT_EQ(one.breaker.state(), State::open);
}

TEST(CircuitBreaker, IgnoresWhatSaysNothing) {
  OneBreaker one;

  one.call(Outcome::abandoned, 100);
  one.call(Outcome::shed, 100);
  one.call(Outcome::lost, 100);

  EXPECT_EQ(one.breaker.state(), State::closed);
}

TEST(CircuitBreaker, LetsOneProbeThrough) {
  OneBreaker one;
  one.call(Outcome::failed, 5);
  one.now += seconds(5);

  EXPECT_TRUE(one.breaker.admits(one.now));
  one.breaker.on_started(one.now);
  EXPECT_FALSE(one.breaker.admits(one.now));
  EXPECT_GT(one.breaker.retry_at(one.now), one.now);

  one.breaker.on_ended(Outcome::served, one.now, one.now + milliseconds(1));
  EXPECT_EQ(one.breaker.state(), State::closed);
}

TEST(CircuitBreaker, OpensAgainWhenAProbeFails) {
  OneBreaker one;
  one.call(Outcome::failed, 5);
  one.now += seconds(5);

  one.call(Outcome::failed);

  EXPECT_EQ(one.breaker.state(), State::open);
  EXPECT_EQ(one.breaker.retry_at(one.now), one.now + seconds(5));
}

TEST(CircuitBreaker, TriesAgainAfterAProbeThatWasAbandoned) {
  OneBreaker one;
  one.call(Outcome::failed, 5);
  one.now += seconds(5);

  one.call(Outcome::abandoned);

  EXPECT_EQ(one.breaker.state(), State::half_open);
  EXPECT_TRUE(one.breaker.admits(one.now));
}

TEST(CircuitBreaker, ClosesOnceAllProbesAreServed) {
  OneBreaker one(BreakerOptions{.probes = 3});
  one.call(Outcome::failed, 5);
  one.now += seconds(5);
  for (int i = 0; i < 3; ++i) one.breaker.on_started(one.now);
  EXPECT_FALSE(one.breaker.admits(one.now));

  for (int i = 0; i < 2; ++i) one.breaker.on_ended(Outcome::served, one.now, one.now);
  EXPECT_EQ(one.breaker.state(), State::half_open);
  EXPECT_FALSE(one.breaker.admits(one.now));
  one.breaker.on_ended(Outcome::served, one.now, one.now);

  EXPECT_EQ(one.breaker.state(), State::closed);
}

TEST(CircuitBreaker, IgnoresCallsThatBeganBeforeItOpened) {
  OneBreaker one;
  const base::TimePoint before = one.now - seconds(1);
  one.call(Outcome::failed, 5);
  one.now += seconds(5);
  one.breaker.on_started(one.now);

  one.breaker.on_ended(Outcome::failed, before, one.now);
  EXPECT_EQ(one.breaker.state(), State::half_open);
  one.breaker.on_ended(Outcome::served, before, one.now);
  EXPECT_EQ(one.breaker.state(), State::half_open);
}

TEST(CircuitBreaker, CountsAnewOnceItHasClosed) {
  OneBreaker one;
  one.call(Outcome::failed, 5);
  one.now += seconds(5);
  one.call(Outcome::served);

  one.call(Outcome::failed, 4);
  EXPECT_EQ(one.breaker.state(), State::closed);
  one.call(Outcome::failed);
  EXPECT_EQ(one.breaker.state(), State::open);
}

struct OneTable {
  explicit OneTable(BreakerOptions given = {.enabled = true}) : options(given), table(options) {}
  void call(std::uint32_t method, Outcome outcome, int times = 1) {
    for (int i = 0; i < times; ++i) {
      table.on_started(method, now);
      table.on_ended(method, method == 7 ? "Seven" : "Other", outcome, now, now);
    }
  }

  BreakerOptions options;
  base::TimePoint now{std::chrono::hours(1)};
  BreakerTable table;
};

TEST(BreakerTable, HoldsNothingWhileNothingFails) {
  OneTable one;

  one.call(7, Outcome::served, 100);
  one.call(7, Outcome::abandoned, 100);

  EXPECT_EQ(one.table.size(), 0u);
  EXPECT_FALSE(one.table.has_open());
}

TEST(BreakerTable, KeepsMethodsApart) {
  OneTable one;

  one.call(7, Outcome::failed, 5);

  EXPECT_TRUE(one.table.has_open());
  EXPECT_FALSE(one.table.admits(7, one.now));
  EXPECT_TRUE(one.table.admits(8, one.now));
  EXPECT_EQ(one.table.open(), std::vector<std::string>{"Seven"});
  EXPECT_EQ(one.table.retry_at(7, one.now), one.now + seconds(5));
}

TEST(BreakerTable, CountsWhatIsOpen) {
  OneTable one;
  one.call(7, Outcome::failed, 5);
  one.call(8, Outcome::failed, 5);
  one.now += seconds(5);

  one.call(7, Outcome::served);
  EXPECT_TRUE(one.table.has_open());
  one.call(8, Outcome::served);

  EXPECT_FALSE(one.table.has_open());
  EXPECT_TRUE(one.table.open().empty());
}

TEST(BreakerTable, TakesAProbeThatIsAnsweredForServed) {
  OneTable one;
  const base::TimePoint before = one.now;
  one.call(7, Outcome::failed, 5);
  one.now += seconds(5);
  one.table.on_started(7, one.now);

  EXPECT_FALSE(one.table.on_answered(8, one.now, one.now)) << "has not failed";
  EXPECT_FALSE(one.table.on_answered(7, before, one.now)) << "is none of the probes";
  EXPECT_TRUE(one.table.has_open());
  EXPECT_TRUE(one.table.on_answered(7, one.now, one.now + seconds(1)));

  EXPECT_FALSE(one.table.has_open());
  EXPECT_FALSE(one.table.on_answered(7, one.now, one.now + seconds(2))) << "is counted already";
}

TEST(BreakerTable, ForgetsMethodsThatAreServedAgain) {
  OneTable one;
  one.call(7, Outcome::failed);
  EXPECT_EQ(one.table.size(), 1u);
  one.now += seconds(10);

  one.call(7, Outcome::served);

  EXPECT_EQ(one.table.size(), 0u);
}

TEST(BreakerTable, ForgetsMethodsThatAreNoLongerCalled) {
  OneTable one;

  for (std::uint32_t method = 1; method <= 1000; ++method) {
    one.call(method, Outcome::failed);
    one.now += seconds(1);
  }

  EXPECT_LE(one.table.size(), 32u);
}

TEST(BreakerTable, HoldsNothingForMethodsWithoutANumberOrIfItIsOff) {
  OneTable one, off(BreakerOptions{});

  one.call(0, Outcome::failed, 100);
  off.call(7, Outcome::failed, 100);

  EXPECT_EQ(one.table.size(), 0u);
  EXPECT_EQ(off.table.size(), 0u);
}

}  // namespace
}  // namespace trunkline::balance
