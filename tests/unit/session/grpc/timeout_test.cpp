// SPDX-License-Identifier: MIT
// grpc-timeout: every unit, its limits, and what is malformed.
#include "session/grpc/timeout.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::grpc {
namespace {

using namespace std::chrono_literals;

TEST(Timeout, IsReadInEveryUnit) {
  EXPECT_EQ(parse_timeout("1H"), 1h);
  EXPECT_EQ(parse_timeout("2M"), 2min);
  EXPECT_EQ(parse_timeout("3S"), 3s);
  EXPECT_EQ(parse_timeout("4m"), 4ms);
  EXPECT_EQ(parse_timeout("5u"), 5us);
  EXPECT_EQ(parse_timeout("99999999n"), 99999999ns);
  EXPECT_EQ(parse_timeout("0S"), 0ns);
  EXPECT_EQ(parse_timeout("00000001S"), 1s);
}

TEST(Timeout, BeyondTheClockIsTheLongestOne) {
  EXPECT_EQ(parse_timeout("2562047H"), 2562047h);
  EXPECT_EQ(parse_timeout("2562048H"), base::Duration::max());
  EXPECT_EQ(parse_timeout("99999999H"), base::Duration::max());
}

TEST(Timeout, IsMalformedWithoutDigitsOrUnitOrWithTooManyDigits) {
  for (const char* text : {"", "1", "S", "n", "123456789n", "000000001S", "-1S", "+1S", "1.5S", " 1S", "1S ", "1s",
                           "1h", "1 S", "1SS", "1x", "0x1S"}) {
    EXPECT_EQ(parse_timeout(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace trunkline::session::grpc
