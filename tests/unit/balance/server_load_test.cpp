// SPDX-License-Identifier: MIT
// What a server's load counts, and what its average of the latency follows.
#include "balance/server_load.h"

#include <random>

namespace trunkline::balance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ServerLoad, FollowsAnIncreaseAtOnceAndADecreaseSlowly) {
  ServerLoad load;
  base::TimePoint now{std::chrono::hours(1)};
  const auto end_after = [&](int ms) {
    load.on_started();
    load.on_ended(Outcome::served, milliseconds(ms), now);
    return load.latency();
  };

  EXPECT_EQ(end_after(20), 2e7);
  EXPECT_EQ(end_after(50), 5e7);
  now += ServerLoad::latency_memory;
  const double later = end_after(10);
  EXPECT_GT(later, 2e7);
  EXPECT_LT(later, 3e7);
}

TEST(ServerLoad, DoesNotBecomeFastByFailingFast) {
  ServerLoad load;
  base::TimePoint now{std::chrono::hours(1)};
  load.on_started();
  load.on_ended(Outcome::served, milliseconds(10), now);

  now += 10 * ServerLoad::latency_memory;
  load.on_started();
  load.on_ended(Outcome::failed, milliseconds(1), now);

  EXPECT_EQ(load.latency(), 1e7);
  EXPECT_EQ(load.failed(), 1u);
}

/// A server with a latency of 1 ms, of which ten calls at once were held up by 200 ms.
struct HeldUpServer {
  HeldUpServer() {
    end_after(milliseconds(1));
    now += seconds(1);
    for (int ms = 200; ms > 100; ms -= 10) end_after(milliseconds(ms));
  }
  void end_after(base::Duration latency) {
    load.on_started();
    load.on_ended(Outcome::served, latency, now);
  }
  double ms() const { return load.latency_at(now) / 1e6; }

  ServerLoad load;
  base::TimePoint now{std::chrono::hours(1)};
};

TEST(ServerLoad, SoonForgetsAnIncreaseThatMayHaveBeenAnAccident) {
  HeldUpServer server;
  EXPECT_EQ(server.ms(), 200);

  server.now += seconds(4);
  EXPECT_LT(server.ms(), 4);
  for (int i = 0; i < 3; ++i) {
    server.end_after(milliseconds(1));
    server.now += seconds(1);
  }

  EXPECT_LT(server.ms(), 3);
}

TEST(ServerLoad, KeepsAnIncreaseThatALaterCallRepeats) {
  HeldUpServer server;

  server.now += seconds(4);
  server.end_after(milliseconds(200));
  server.now += seconds(4);

  EXPECT_GT(server.ms(), 100);
}

TEST(ServerLoad, DoubtsNoFailureThatTookLong) {
  HeldUpServer server;
  server.load.on_started();
  server.load.on_ended(Outcome::failed, seconds(1), server.now);

  server.now += seconds(4);

  EXPECT_GT(server.ms(), 500);
}

TEST(ServerLoad, IsUnprovenUntilItHasAnswered) {
  ServerLoad load;
  const base::TimePoint now{std::chrono::hours(1)};
  EXPECT_FALSE(load.is_unproven()) << "somebody should try it";

  load.on_started();
  EXPECT_TRUE(load.is_unproven());
  load.on_ended(Outcome::failed, milliseconds(1), now);
  EXPECT_TRUE(load.is_unproven());
  load.on_started();
  load.on_ended(Outcome::served, milliseconds(1), now);

  EXPECT_FALSE(load.is_unproven());
}

TEST(ServerLoad, LearnsFromACallThatWasGivenUpThatItTookLonger) {
  ServerLoad load;
  base::TimePoint now{std::chrono::hours(1)};
  const auto give_up_after = [&](int ms) {
    load.on_started();
    load.on_ended(Outcome::abandoned, milliseconds(ms), now);
    return load.latency();
  };

  EXPECT_EQ(give_up_after(30), 0) << "a server is not known by a call that was given up";
  load.on_started();
  load.on_ended(Outcome::served, milliseconds(10), now);
  EXPECT_EQ(give_up_after(5), 1e7);
  EXPECT_EQ(give_up_after(30), 3e7);
  EXPECT_EQ(load.failed(), 0u);
}

TEST(ServerLoad, ForgetsItsLatencyWhenTheServerBeginsAgain) {
  ServerLoad load;
  const base::TimePoint now{std::chrono::hours(1)};
  load.on_started();
  load.on_ended(Outcome::failed, std::chrono::seconds(2), now);

  load.begin(now + milliseconds(1));

  EXPECT_EQ(load.latency(), 0);
  EXPECT_EQ(load.ready_since, now + milliseconds(1));
  EXPECT_EQ(load.failed(), 1u);
}

TEST(ServerLoad, CountsCallsQuicklyAsItCountsThemOtherwise) {
  ServerLoad quick;
  ServerLoad thorough;
  base::TimePoint now{std::chrono::hours(1)};
  std::mt19937 random(7);
  const auto below = [&random](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  int counted = 0;

  for (int i = 0; i < 20000; ++i) {
    // Mostly at the same time, and sometimes much longer than before.
    if (below(4) == 0) now += milliseconds(below(3000));
    const base::Duration latency = milliseconds(1 + below(5)) * (below(50) == 0 ? 40 : 1);
    const Outcome outcome = below(20) == 0 ? Outcome::failed : Outcome::served;
    for (ServerLoad* const load : {&quick, &thorough}) load->on_started();
    const bool was_counted = outcome == Outcome::served && quick.count_served(latency, now);
    counted += was_counted ? 1 : 0;
    if (!was_counted) quick.on_ended(outcome, latency, now);
    thorough.on_ended(outcome, latency, now);

    ASSERT_EQ(quick.latency(), thorough.latency()) << "call " << i;
    ASSERT_EQ(quick.latency_at(now + seconds(1)), thorough.latency_at(now + seconds(1))) << "call " << i;
    ASSERT_EQ(quick.outstanding(), thorough.outstanding());
    ASSERT_EQ(quick.is_unproven(), thorough.is_unproven());
  }

  EXPECT_GT(counted, 1000);
}

TEST(ServerLoad, TellsItsObserverOfEveryCall) {
  struct Counter final : LoadObserver {
    void load_changed(ServerLoad&, int open_calls) override { open += open_calls; }
    int open = 0;
  } counter;
  ServerLoad load;
  load.observer = &counter;
  const base::TimePoint now{std::chrono::hours(1)};
  for (int i = 0; i < 3; ++i) load.on_started();
  load.on_ended(Outcome::served, milliseconds(5), now);

  EXPECT_FALSE(load.count_served(milliseconds(1), now));
  load.on_ended(Outcome::served, milliseconds(1), now);

  EXPECT_EQ(counter.open, 1);
}

}  // namespace
}  // namespace trunkline::balance
