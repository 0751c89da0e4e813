// SPDX-License-Identifier: MIT
// grpc-timeout: every unit, its limits, and what is malformed. connect-timeout-ms, as it is written.
#include "session/web/timeout.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::web {
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

std::string written(base::Duration left) {
  BufferWriter out;
  append_timeout(left, out);
  return std::string(as_text(out.bytes()));
}

TEST(Timeout, IsWrittenInTheShortestForm) {
  EXPECT_EQ(written(1ns), "1n");
  EXPECT_EQ(written(1500ns), "1500n");
  EXPECT_EQ(written(1us), "1u");
  EXPECT_EQ(written(20ms), "20m");
  EXPECT_EQ(written(1s), "1S");
  EXPECT_EQ(written(90s), "90S");
  EXPECT_EQ(written(2min), "2M");
  EXPECT_EQ(written(3h), "3H");
  EXPECT_EQ(written(99999999ns), "99999999n");
}

TEST(ConnectTimeout, IsWrittenInMillisecondsRoundedUp) {
  const auto written_for_connect = [](base::Duration left) {
    BufferWriter out;
    append_connect_timeout(left, out);
    return std::string(as_text(out.bytes()));
  };

  EXPECT_EQ(written_for_connect(-1s), "1");
  EXPECT_EQ(written_for_connect(0ns), "1");
  EXPECT_EQ(written_for_connect(1ms + 1ns), "2");
  EXPECT_EQ(written_for_connect(90s), "90000");
  EXPECT_EQ(written_for_connect(base::Duration::max()), "9999999999");
}

TEST(Timeout, IsRoundedUpIfItHasTooManyDigits) {
  EXPECT_EQ(written(100000000ns + 1ns), "100001u");
  EXPECT_EQ(written(999999999ns), "1S");
  EXPECT_EQ(written(100s + 1ns), "100001m");
  EXPECT_EQ(written(base::Duration::max()), "2562048H");
}

TEST(Timeout, IsPositive) {
  EXPECT_EQ(written(0ns), "1n");
  EXPECT_EQ(written(-5s), "1n");
}

TEST(Timeout, IsReadAsWritten) {
  for (base::Duration left = 1ns; left < base::Duration::max() / 3; left = left * 3 + 1ns) {
    const std::string text = written(left);

    const std::optional<base::Duration> read = parse_timeout(text);

    ASSERT_TRUE(read) << text;
    EXPECT_GE(*read, left) << text;
    EXPECT_LE(*read - left, left / 100000) << text;
  }
}

}  // namespace
}  // namespace trunkline::session::web
