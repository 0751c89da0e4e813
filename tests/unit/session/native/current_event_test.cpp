// SPDX-License-Identifier: MIT
// What a session owes for the last event.
#include "session/native/current_event.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(CurrentEvent, OwesNothingAtFirst) {
  const CurrentEvent current;

  EXPECT_FALSE(current.has_call());
  EXPECT_FALSE(current.is_call(0));
  EXPECT_FALSE(current.has_credit());
  EXPECT_EQ(current.unattached(), 0u);
}

TEST(CurrentEvent, AUnaryCallReplacesAllOfTheOneBefore) {
  CurrentEvent current;
  current.set_call({.id = 1,
                    .state = CurrentEvent::Call::State::one_way,
                    .is_refused = true,
                    .deadline = base::TimePoint(),
                    .retained_bytes = 9});

  current.set_unary_call(2);

  EXPECT_TRUE(current.is_call(2));
  EXPECT_FALSE(current.is_call(1));
  EXPECT_EQ(current.call().state, CurrentEvent::Call::State::two_way);
  EXPECT_TRUE(current.call().has_peer_ended);
  EXPECT_FALSE(current.call().is_refused);
  EXPECT_EQ(current.call().deadline, base::never);
  EXPECT_EQ(current.call().retained_bytes, 0u);
}

TEST(CurrentEvent, AClearedCallIsStillReadable) {
  CurrentEvent current;
  current.set_unary_call(2);

  current.clear_call();

  EXPECT_FALSE(current.has_call());
  EXPECT_EQ(current.call().id, 2u);
}

TEST(CurrentEvent, OnlyTheUnattachedCallIsAttached) {
  CurrentEvent current;
  current.set_unattached(3);

  current.attached(4);
  const CallId before = current.unattached();
  current.attached(3);

  EXPECT_EQ(before, 3u);
  EXPECT_EQ(current.take_unattached(), 0u);
}

TEST(CurrentEvent, CreditIsOwedOnce) {
  CurrentEvent current;
  current.set_credit(5, {100, 80, 7});
  const bool had_credit = current.has_credit();

  current.clear_credit();
  current.set_unary_credit(6, 20);

  EXPECT_TRUE(had_credit);
  EXPECT_EQ(current.credit_call(), 6u);
  EXPECT_EQ(current.credit().connection_bytes, 20u);
  EXPECT_EQ(current.credit().call_bytes, 0u);
  EXPECT_EQ(current.credit().further_bytes, 0u);
}

TEST(CurrentEvent, ReleasesTheMemoryBehindTheViews) {
  CurrentEvent current;
  const Slice payload = Slice::copy_of(std::string(100, 'x'));
  const Slice frame = Slice::copy_of(std::string(100, 'y'));
  current.retain_payload(payload);
  current.retain_frame(frame);
  const bool was_shared = !payload.block()->unique() && !frame.block()->unique();

  current.release_memory();

  EXPECT_TRUE(was_shared);
  EXPECT_TRUE(payload.block()->unique());
  EXPECT_TRUE(frame.block()->unique());
}

}  // namespace
}  // namespace trunkline::session::native
