// SPDX-License-Identifier: MIT
// Flow windows: use, overflow, adjustment below zero.
#include "http/http2/flow_window.h"

#include <gtest/gtest.h>

namespace trunkline::http::http2 {
namespace {

TEST(FlowWindow, GivesWhatItHas) {
  FlowWindow window;

  EXPECT_TRUE(window.take(65535));
  EXPECT_EQ(window.available(), 0U);
  EXPECT_TRUE(window.take(0));
  EXPECT_FALSE(window.take(1));
  EXPECT_TRUE(window.add(10));
  EXPECT_EQ(window.available(), 10U);
}

TEST(FlowWindow, DetectsOverflow) {
  FlowWindow window(0);

  EXPECT_TRUE(window.add(FlowWindow::max_bytes));
  EXPECT_FALSE(window.add(1));
  EXPECT_EQ(window.bytes(), 0x7FFFFFFF);
  EXPECT_FALSE(window.adjust(0, 1));
  EXPECT_FALSE(FlowWindow(1).add(FlowWindow::max_bytes));
}

TEST(FlowWindow, BecomesNegativeWhenTheInitialSizeIsLowered) {
  FlowWindow window(65535);
  EXPECT_TRUE(window.take(60000));

  // The example of RFC 9113, section 6.9.2.
  EXPECT_TRUE(window.adjust(65535, 16384));

  EXPECT_EQ(window.bytes(), -43616);
  EXPECT_EQ(window.available(), 0U);
  EXPECT_TRUE(window.take(0));
  EXPECT_FALSE(window.take(1));
  EXPECT_TRUE(window.add(43616 + 5));
  EXPECT_EQ(window.available(), 5U);
}

TEST(FlowWindow, ReachesItsLowestValueAndComesBack) {
  FlowWindow window(FlowWindow::max_bytes);
  EXPECT_TRUE(window.take(FlowWindow::max_bytes));

  EXPECT_TRUE(window.adjust(FlowWindow::max_bytes, 0));
  EXPECT_EQ(window.bytes(), -0x7FFFFFFF);
  EXPECT_TRUE(window.adjust(0, FlowWindow::max_bytes));
  EXPECT_EQ(window.bytes(), 0);
}

}  // namespace
}  // namespace trunkline::http::http2
