// SPDX-License-Identifier: MIT
// Tables that fit.
#include "cli/output/table.h"

#include "cli/output/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::cli::output {
namespace {

using testing::ElementsAre;

Table sample() {
  Table table({"METHOD", "CALLS", "P99"});
  table.add({"example.Echo/Say", "12", "1.00ms"});
  table.add({"add", "3", "-"});
  return table;
}

TEST(Table, IsAsWideAsItsCells) {
  EXPECT_THAT(sample().lines(0), ElementsAre("METHOD            CALLS     P99",  //
                                             "example.Echo/Say     12  1.00ms",  //
                                             "add                   3       -"));
}

TEST(Table, NamesAreCutToFit) {
  EXPECT_THAT(sample().lines(28), ElementsAre("METHOD         CALLS     P99",       //
                                              "example.Echo\u2026     12  1.00ms",  //
                                              "add                3       -"));
}

TEST(Table, TheLastColumnsAreLeftOutWhereNamesWouldBeTooShort) {
  EXPECT_THAT(sample().lines(20), ElementsAre("METHOD         CALLS",       //
                                              "example.Echo\u2026     12",  //
                                              "add                3"));
}

TEST(Table, NoLineIsWiderThanIsWanted) {
  for (std::size_t width = 1; width < 40; ++width) {
    for (const std::string& line : sample().lines(width)) EXPECT_LE(text_width(line), width);
  }
}

TEST(Table, CountsHaveThreeDigits) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(12.345), "12.3");
  EXPECT_EQ(format_count(0.5), "0.50");
  EXPECT_EQ(format_count(1000), "1.00k");
  EXPECT_EQ(format_count(123456), "123k");
  EXPECT_EQ(format_count(7.891e9), "7.89G");
}

}  // namespace
}  // namespace trunkline::cli::output
