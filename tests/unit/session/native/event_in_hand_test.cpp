// SPDX-License-Identifier: MIT
// What a session owes for the last event.
#include "session/native/event_in_hand.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(EventInHand, OwesNothingAtFirst) {
  const EventInHand in_hand;

  EXPECT_FALSE(in_hand.has_call());
  EXPECT_FALSE(in_hand.is_call(0));
  EXPECT_FALSE(in_hand.has_credit());
  EXPECT_EQ(in_hand.unattached(), 0u);
}

TEST(EventInHand, AUnaryCallReplacesAllOfTheOneBefore) {
  EventInHand in_hand;
  in_hand.set_call({.id = 1,
                    .state = EventInHand::Call::State::one_way,
                    .is_refused = true,
                    .deadline = base::TimePoint(),
                    .retained_bytes = 9});

  in_hand.set_unary_call(2);

  EXPECT_TRUE(in_hand.is_call(2));
  EXPECT_FALSE(in_hand.is_call(1));
  EXPECT_EQ(in_hand.call().state, EventInHand::Call::State::two_way);
  EXPECT_TRUE(in_hand.call().has_peer_ended);
  EXPECT_FALSE(in_hand.call().is_refused);
  EXPECT_EQ(in_hand.call().deadline, base::never);
  EXPECT_EQ(in_hand.call().retained_bytes, 0u);
}

TEST(EventInHand, AClearedCallIsStillReadable) {
  EventInHand in_hand;
  in_hand.set_unary_call(2);

  in_hand.clear_call();

  EXPECT_FALSE(in_hand.has_call());
  EXPECT_EQ(in_hand.call().id, 2u);
}

TEST(EventInHand, OnlyTheUnattachedCallIsAttached) {
  EventInHand in_hand;
  in_hand.set_unattached(3);

  in_hand.attached(4);
  const CallId before = in_hand.unattached();
  in_hand.attached(3);

  EXPECT_EQ(before, 3u);
  EXPECT_EQ(in_hand.take_unattached(), 0u);
}

TEST(EventInHand, CreditIsOwedOnce) {
  EventInHand in_hand;
  in_hand.set_credit(5, {100, 80, 7});
  const bool had_credit = in_hand.has_credit();

  in_hand.clear_credit();
  in_hand.set_unary_credit(6, 20);

  EXPECT_TRUE(had_credit);
  EXPECT_EQ(in_hand.credit_call(), 6u);
  EXPECT_EQ(in_hand.credit().connection_bytes, 20u);
  EXPECT_EQ(in_hand.credit().call_bytes, 0u);
  EXPECT_EQ(in_hand.credit().further_bytes, 0u);
}

TEST(EventInHand, ReleasesTheMemoryBehindTheViews) {
  EventInHand in_hand;
  const Slice payload = Slice::copy_of(std::string(100, 'x'));
  const Slice frame = Slice::copy_of(std::string(100, 'y'));
  in_hand.retain_payload(payload);
  in_hand.retain_frame(frame);
  const bool was_shared = !payload.block()->unique() && !frame.block()->unique();

  in_hand.release_memory();

  EXPECT_TRUE(was_shared);
  EXPECT_TRUE(payload.block()->unique());
  EXPECT_TRUE(frame.block()->unique());
}

}  // namespace
}  // namespace trunkline::session::native
