// SPDX-License-Identifier: MIT
// Ids that rise, and what changes once they have wrapped.
#include "session/native/call_ids.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

constexpr auto none_open = [](CallId) { return false; };

TEST(CallIds, BeginAtOne) {
  const CallIds ids;

  EXPECT_EQ(ids.next(none_open), 1u);
  EXPECT_FALSE(ids.was_opened(1));
  EXPECT_TRUE(ids.rises_to(1));
}

TEST(CallIds, KnowWhichIdsWereOpened) {
  CallIds ids;
  ids.advance_to(7);

  EXPECT_TRUE(ids.was_opened(7));
  EXPECT_TRUE(ids.was_opened(3));
  EXPECT_FALSE(ids.was_opened(8));
  EXPECT_FALSE(ids.rises_to(7));
  EXPECT_TRUE(ids.rises_to(9));
  EXPECT_EQ(ids.next(none_open), 8u);
}

TEST(CallIds, DoNotRiseByHalfTheRange) {
  CallIds ids;
  ids.advance_to(1);

  EXPECT_TRUE(ids.rises_to(0x80000000u));
  EXPECT_FALSE(ids.rises_to(0x80000002u));
}

TEST(CallIds, SkipZeroAndOpenCallsAfterAWrap) {
  CallIds ids;
  ids.advance_to(0xFFFFFFFFu);
  const CallId first = ids.next([](CallId id) { return id <= 2; });
  ids.advance_to(first);

  EXPECT_EQ(first, 3u);
  EXPECT_TRUE(ids.have_wrapped());
  EXPECT_EQ(ids.next([](CallId id) { return id == 4; }), 5u);
  EXPECT_TRUE(ids.was_opened(0xFFFFFFF0u));
  EXPECT_TRUE(ids.was_opened(3));
  EXPECT_FALSE(ids.was_opened(4));
  EXPECT_FALSE(ids.rises_to(4));
}

}  // namespace
}  // namespace trunkline::session::native
