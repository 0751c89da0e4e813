// SPDX-License-Identifier: MIT
// The parameter of keep-alive.
#include "http/http1/keep_alive.h"

#include <gtest/gtest.h>

namespace trunkline::http::http1 {
namespace {

using namespace std::chrono_literals;

TEST(KeepAlive, SaysATimeout) {
  for (const std::string_view value : {"timeout=5", "timeout=5, max=100", "max=100,Timeout = 5", " timeout=05 ,"}) {
    EXPECT_EQ(keep_alive_timeout(value), 5s) << value;
  }
  EXPECT_EQ(keep_alive_timeout("timeout=0"), 0s);
  EXPECT_EQ(keep_alive_timeout("timeout=999999999"), 999999999s);
}

TEST(KeepAlive, MaySayNone) {
  for (const std::string_view value : {"", ",", "max=100", "timeout", "timeout=", "timeout=-1", "timeout=5s",
                                       "timeout=1.5", "timeout=1000000000", "timeout=99999999999", "xtimeout=5"}) {
    EXPECT_EQ(keep_alive_timeout(value), std::nullopt) << value;
  }
}

}  // namespace
}  // namespace trunkline::http::http1
