// SPDX-License-Identifier: MIT
// PingLimit: strikes, what forgives them, and connections without calls.
#include "http/http2/ping_limit.h"

#include <gtest/gtest.h>

namespace trunkline::http::http2 {
namespace {

using namespace std::chrono_literals;

constexpr PingLimit::TimePoint start{};

TEST(PingLimit, ForgivesTwoPingsThatComeTooEarly) {
  PingLimit limit(5min, false);

  EXPECT_TRUE(limit.add(start, 0, true));
  EXPECT_TRUE(limit.add(start + 1min, 0, true));
  EXPECT_TRUE(limit.add(start + 2min, 0, true));
  EXPECT_FALSE(limit.add(start + 3min, 0, true));
}

TEST(PingLimit, CountsFromTheLastPing) {
  PingLimit limit(5min, false);

  for (int i = 0; i < 100; ++i) EXPECT_TRUE(limit.add(start + i * 5min, 0, true)) << i;
}

TEST(PingLimit, ForgetsStrikesWhenTheClientIsSentSomething) {
  PingLimit limit(5min, false);

  for (std::uint64_t sent = 0; sent < 100; ++sent) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.add(start, sent, true)) << sent;
  }
  EXPECT_FALSE(limit.add(start, 99, true));
}

TEST(PingLimit, AllowsAClientWithoutCallsOnePingInTwoHours) {
  PingLimit limit(5min, false);

  for (int i = 0; i < 4; ++i) EXPECT_TRUE(limit.add(start + i * 2h, 0, false)) << i;
  EXPECT_TRUE(limit.add(start + 7h, 0, false));
  EXPECT_TRUE(limit.add(start + 8h, 0, false));
  EXPECT_FALSE(limit.add(start + 9h, 0, false));
}

TEST(PingLimit, AllowsMoreWithoutCallsIfItIsToldSo) {
  PingLimit limit(5min, true);

  for (int i = 0; i < 100; ++i) EXPECT_TRUE(limit.add(start + i * 5min, 0, false)) << i;
}

TEST(PingLimit, AllowsAnyNumberWithoutAnInterval) {
  PingLimit limit(0ms, false);

  for (int i = 0; i < 100; ++i) EXPECT_TRUE(limit.add(start, 0, false)) << i;
}

}  // namespace
}  // namespace trunkline::http::http2
