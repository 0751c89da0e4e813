// SPDX-License-Identifier: MIT
// Pongs that a peer leaves unread.
#include "session/native/pong_limit.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

constexpr std::uint64_t pong_bytes = 24;

TEST(PongLimit, StopsAPeerThatDoesNotRead) {
  PongLimit limit(64);

  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_TRUE(limit.add(i * pong_bytes)) << i;
  EXPECT_FALSE(limit.add(64 * pong_bytes));
}

TEST(PongLimit, NeverStopsAPeerThatReads) {
  PongLimit limit(64);

  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(limit.add(0));
    limit.wrote(pong_bytes);
  }
}

TEST(PongLimit, ForgetsPongsThatWereWrittenInAnotherRound) {
  PongLimit limit(64);
  for (std::uint32_t i = 0; i < 40; ++i) ASSERT_TRUE(limit.add(i * pong_bytes));

  limit.wrote(40 * pong_bytes);
  for (std::uint32_t i = 0; i < 24; ++i) ASSERT_TRUE(limit.add(i * pong_bytes));
  limit.wrote(24 * pong_bytes);

  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_TRUE(limit.add(i * pong_bytes)) << i;
}

}  // namespace
}  // namespace trunkline::session::native
