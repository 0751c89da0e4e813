// SPDX-License-Identifier: MIT
// Durations, read and written.
#include "cli/output/duration_text.h"

#include <gtest/gtest.h>

namespace trunkline::cli::output {
namespace {

using namespace std::chrono_literals;

std::string refusal(std::string_view text) { return std::string(parse_duration(text).status().message()); }

TEST(DurationText, IsNumbersWithUnits) {
  EXPECT_EQ(parse_duration("5s").value(), 5s);
  EXPECT_EQ(parse_duration("500ms").value(), 500ms);
  EXPECT_EQ(parse_duration("1.5s").value(), 1500ms);
  EXPECT_EQ(parse_duration("1m30s").value(), 90s);
  EXPECT_EQ(parse_duration("2h").value(), 2h);
  EXPECT_EQ(parse_duration("1d2h").value(), 26h);
  EXPECT_EQ(parse_duration("7us").value(), 7us);
  EXPECT_EQ(parse_duration("1ns").value(), 1ns);
}

TEST(DurationText, ABareNumberIsSeconds) {
  EXPECT_EQ(parse_duration("3").value(), 3s);
  EXPECT_EQ(parse_duration("0.25").value(), 250ms);
}

TEST(DurationText, WhatIsNoDurationIsRefused) {
  const std::string expected =
      ": expected a number and a unit, such as 300ms, 5s or 1m30s; a number alone counts seconds";

  EXPECT_EQ(refusal(""), "duration ''" + expected);
  EXPECT_EQ(refusal("fast"), "duration 'fast'" + expected);
  EXPECT_EQ(refusal("-5s"), "duration '-5s'" + expected);
  EXPECT_EQ(refusal("nan"), "duration 'nan'" + expected);
  EXPECT_EQ(refusal("5x"), "duration '5x': unknown unit; units are ns, us, ms, s, m, h and d");
  EXPECT_EQ(refusal("1m30"), "duration '1m30': unknown unit; units are ns, us, ms, s, m, h and d");
  EXPECT_EQ(refusal("0s"), "duration '0s': must be more than zero");
  for (const char* const zero : {"0", "0s", "0ms", "0m0s"}) EXPECT_EQ(parse_duration_or_zero(zero).value(), 0s) << zero;
  EXPECT_EQ(refusal("99999999h"), "duration '99999999h': exceeds a year");
}

TEST(DurationText, IsWrittenWithThreeDigits) {
  EXPECT_EQ(format_duration(0ns), "0ns");
  EXPECT_EQ(format_duration(999ns), "999ns");
  EXPECT_EQ(format_duration(1000ns), "1.00us");
  EXPECT_EQ(format_duration(12345us), "12.3ms");
  EXPECT_EQ(format_duration(123456us), "123ms");
  EXPECT_EQ(format_duration(999999us), "1.00s");
  EXPECT_EQ(format_duration(100s), "100s");
  EXPECT_EQ(format_duration(-1ns), "-");
}

TEST(DurationText, IsWrittenInTwoUnitsFromTwoMinutesOn) {
  EXPECT_EQ(format_duration(119s), "119s");
  EXPECT_EQ(format_duration(119600ms), "2m");
  EXPECT_EQ(format_duration(125s), "2m5s");
  EXPECT_EQ(format_duration(3599s), "59m59s");
  EXPECT_EQ(format_duration(1h), "1h");
  EXPECT_EQ(format_duration(3h + 4min), "3h4m");
  EXPECT_EQ(format_duration(24h * 40 + 5h), "40d5h");
}

}  // namespace
}  // namespace trunkline::cli::output
