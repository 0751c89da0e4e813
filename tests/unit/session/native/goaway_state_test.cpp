// SPDX-License-Identifier: MIT
// Goaway in both directions.
#include "session/native/goaway_state.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(GoawayState, NamesTheSameCallEachTime) {
  GoawayState state;

  state.set_sent(7);
  state.set_sent(9);

  EXPECT_TRUE(state.is_sent());
  EXPECT_EQ(state.sent_id(), 7u);
}

TEST(GoawayState, AcceptsEarlierIdsOfThePeer) {
  GoawayState state;

  EXPECT_TRUE(state.receive(9));
  EXPECT_TRUE(state.receive(9));
  EXPECT_TRUE(state.receive(7));
  EXPECT_TRUE(state.receive(0));
  EXPECT_EQ(state.received_id(), 0u);
}

TEST(GoawayState, RefusesALaterIdOfThePeer) {
  GoawayState state;
  EXPECT_TRUE(state.receive(7));

  EXPECT_FALSE(state.receive(8));
  EXPECT_EQ(state.received_id(), 7u);

  EXPECT_TRUE(state.receive(0));
  EXPECT_FALSE(state.receive(1));
}

TEST(GoawayState, ComparesIdsAcrossAWrap) {
  GoawayState state;
  EXPECT_TRUE(state.receive(3));

  EXPECT_TRUE(state.receive(0xFFFFFFF0u));
  EXPECT_FALSE(state.receive(2));
}

TEST(GoawayState, IsDeferredUntilTheQueueIsEmpty) {
  GoawayState state;
  state.request_drain();
  state.defer();
  const bool was_deferred = state.is_deferred();

  state.end_deferral();

  EXPECT_TRUE(was_deferred);
  EXPECT_FALSE(state.is_deferred());
  EXPECT_TRUE(state.is_drain_requested());
  EXPECT_FALSE(state.is_sent());
}

}  // namespace
}  // namespace trunkline::session::native
