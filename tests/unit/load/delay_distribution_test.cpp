// SPDX-License-Identifier: MIT
// Shares of delays.
#include "load/delay_distribution.h"

#include <gtest/gtest.h>

#include <map>

namespace trunkline::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(DelayDistribution, IsZeroWithoutShares) {
  DelayDistribution none;

  EXPECT_TRUE(none.is_none());
  EXPECT_EQ(none.next(), nanoseconds(0));
}

TEST(DelayDistribution, DrawsByShares) {
  DelayDistribution delays({{0.9, milliseconds(2)}, {0.09, milliseconds(20)}, {0.01, milliseconds(80)}}, 7);

  std::map<nanoseconds, int> drawn;
  for (int count = 0; count < 100000; ++count) ++drawn[delays.next()];

  EXPECT_NEAR(drawn[milliseconds(2)], 90000, 500);
  EXPECT_NEAR(drawn[milliseconds(20)], 9000, 400);
  EXPECT_NEAR(drawn[milliseconds(80)], 1000, 150);
  EXPECT_EQ(drawn.size(), 3U);
}

}  // namespace
}  // namespace trunkline::load
