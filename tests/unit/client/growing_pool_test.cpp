// SPDX-License-Identifier: MIT
// Pools that make as many connections as there are calls at a time, and share the calls out.
#include "unit/client/client_fixture.h"

#include <numeric>
#include <vector>

namespace trunkline::client {

namespace {

class GrowingPool : public ClientFixture {
 protected:
  GrowingPool() {
    options.max_connections = 6;
    network.on_call = nullptr;
  }

  /// Begins the calls in one turn of the loop.
  void begin_at_once(int count) {
    Channel& on = channel();
    on_loop([&] {
      for (int i = 0; i < count; ++i) {
        outcomes.push_back(std::make_shared<Outcome>());
        on.async_call<std::string>("Echo", std::string("x"), [outcome = outcomes.back()](Result<std::string> result) {
          outcome->result = std::move(result);
          ++outcome->count;
        });
      }
    });
  }
  void make_connections() {
    on_loop([&] { network.make_connections(); });
  }
  std::vector<std::size_t> calls_by_connection() const {
    std::vector<std::size_t> counts;
    for (const auto& server : network.servers) counts.push_back(server->calls.size());
    return counts;
  }

  std::size_t sent() const {
    const std::vector<std::size_t> counts = calls_by_connection();
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  }

  std::vector<std::shared_ptr<Outcome>> outcomes;
};

using ::testing::ElementsAre;

TEST_F(GrowingPool, MakesTheConnectionsOfABurstAtOnceAndSharesItOut) {
  begin_at_once(12);

  EXPECT_THAT(calls_by_connection(), ElementsAre(2, 2, 2, 2, 2, 2));
}

TEST_F(GrowingPool, HasNoMoreConnectionsThanCalls) {
  begin_at_once(3);

  EXPECT_THAT(calls_by_connection(), ElementsAre(1, 1, 1));
  EXPECT_EQ(network.attempts, 3);
}

TEST_F(GrowingPool, KeepsSingleCallsOnOneConnection) {
  network.on_call = echo;

  for (int i = 0; i < 20; ++i) EXPECT_EQ(begin("x")->text(), "re:x");

  EXPECT_EQ(network.attempts, 1);
}

TEST_F(GrowingPool, TriesOneConnectionAtATimeUntilOneIsMade) {
  network.is_slow = true;

  begin_at_once(12);
  const int before_any = network.attempts;
  make_connections();

  EXPECT_EQ(before_any, 1);
  EXPECT_EQ(network.attempts, 6);
}

TEST_F(GrowingPool, SendsABurstAtOnceOnAConnectionThatIsThere) {
  begin_at_once(1);
  network.is_slow = true;

  begin_at_once(11);

  EXPECT_THAT(calls_by_connection(), ElementsAre(12));
  EXPECT_EQ(network.attempts, 6);
  make_connections();
  begin_at_once(10);
  EXPECT_THAT(calls_by_connection(), ElementsAre(12, 2, 2, 2, 2, 2)) << "a later burst goes to those with fewer calls";
}

TEST_F(GrowingPool, LetsCallsWaitForFurtherConnectionsLittleLongerThanForTheFirst) {
  network.is_slow = true;
  begin_at_once(12);
  clock.advance(50ms);
  make_connections();
  const std::vector<std::size_t> of_first = calls_by_connection();

  advance(50ms);
  const std::vector<std::size_t> while_shared = calls_by_connection();
  advance(20ms);

  EXPECT_THAT(of_first, ElementsAre(2));
  EXPECT_THAT(while_shared, ElementsAre(2));
  EXPECT_THAT(calls_by_connection(), ElementsAre(12));
}

TEST_F(GrowingPool, GivesTheShareOfConnectionsThatFailToTheOthers) {
  network.is_slow = true;
  begin_at_once(12);
  make_connections();
  network.refusals = 4;
  make_connections();
  for (int i = 0; i < 10; ++i) advance(10ms);

  EXPECT_EQ(sent(), 12u);
  EXPECT_LE(network.servers.size(), 6u);
}

TEST_F(GrowingPool, GivesItAtOnceIfTheFirstConnectionTookLong) {
  network.is_slow = true;
  begin_at_once(12);
  clock.advance(5s);
  make_connections();
  EXPECT_EQ(sent(), 2u);
  network.refusals = 100;
  make_connections();

  EXPECT_EQ(sent(), 12u);
}

TEST_F(GrowingPool, LetsNoCallWaitForSecondsBecauseTheFirstConnectionTookSeconds) {
  network.is_slow = true;
  begin_at_once(12);
  clock.advance(5s);
  make_connections();

  advance(250ms);

  EXPECT_EQ(sent(), 12u);
}

TEST_F(GrowingPool, OfOneConnectionLetsNoCallWait) {
  options.max_connections = 1;

  begin_at_once(12);

  EXPECT_THAT(calls_by_connection(), ElementsAre(12));
  EXPECT_EQ(network.attempts, 1);
}

}  // namespace

}  // namespace trunkline::client
