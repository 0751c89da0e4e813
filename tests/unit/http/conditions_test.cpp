// SPDX-License-Identifier: MIT
// How the fields of conditions and ranges are read.
#include "http/conditions.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline::http {
namespace {

TEST(HttpByteRange, IsOneRangeThatExists) {
  const std::pair<std::string_view, std::pair<std::size_t, std::size_t>> parts[] = {
      {"bytes=0-0", {0, 1}},
      {"bytes=2-4", {2, 3}},
      {"bytes=2-", {2, 8}},
      {"bytes=-3", {7, 3}},
      {"bytes=-99", {0, 10}},
      {"bytes=9-99", {9, 1}},
      {"Bytes= 0-99999999999999999999", {0, 10}}};
  for (const auto& [field, part] : parts) {
    const ByteRange range = ByteRange::parse(field, 10);
    EXPECT_EQ(range.kind, ByteRange::Kind::part) << field;
    EXPECT_EQ(std::pair(range.offset, range.size), part) << field;
  }
  for (const std::string_view field : {"bytes=10-", "bytes=10-20", "bytes=-0"}) {
    EXPECT_EQ(ByteRange::parse(field, 10).kind, ByteRange::Kind::unsatisfiable) << field;
  }
  EXPECT_EQ(ByteRange::parse("bytes=0-", 0).kind, ByteRange::Kind::unsatisfiable);
  for (const std::string_view field : {"", "bytes", "bytes=", "bytes=-", "bytes=4-2", "bytes=a-b", "bytes=1",
                                       "lines=1-2", "bytes=0-1,3-4", "bytes=0-1x", "bytes=+1-2"}) {
    EXPECT_EQ(ByteRange::parse(field, 10).kind, ByteRange::Kind::whole) << field;
  }
}

TEST(HttpTags, AreComparedStronglyOrNot) {
  EXPECT_TRUE(lists_tag("\"a\"", "\"a\"", true));
  EXPECT_TRUE(lists_tag("\"x\", W/\"a\" ,\"b,c\"", "\"b,c\"", true));
  EXPECT_TRUE(lists_tag("W/\"a\"", "\"a\"", false));
  EXPECT_TRUE(lists_tag("\"a\"", "W/\"a\"", false));
  EXPECT_TRUE(lists_tag(" * ", "\"a\"", true));
  EXPECT_FALSE(lists_tag("W/\"a\"", "\"a\"", true));
  EXPECT_FALSE(lists_tag("\"a\"", "W/\"a\"", true));
  for (const std::string_view list : {"", "a", "\"a", "\"A\"", "\"ab\"", "W/", "W/a"}) {
    EXPECT_FALSE(lists_tag(list, "\"a\"", false)) << list;
  }
  EXPECT_FALSE(lists_tag("*", "", false)) << "the response has no tag";
}

TEST(HttpDate, HasThreeForms) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
  EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT"), 784111777);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994"), 784111777);
  EXPECT_EQ(parse_http_date("Wed Nov 16 08:49:37 1994"), 784975777);
  for (const std::string_view text :
       {"", ",", "Sun, ", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 0x Nov 1994 08:49:37 GMT",
        "Sonntag, 06-Nov-94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 31-Feb-94 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37", "Sun Nov 6 08:49:37 1994",
        "Sun Nov 06 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov    08:49:37 1994",
        "Sun Nov  0 08:49:37 1994", "Sun Nov  6 25:49:37 1994"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

TEST(HttpDate, OfTwoDigitsIsAYearAtMostFiftyYearsAhead) {
  const auto year_of = [](std::string_view text, std::string_view now) {
    const auto given = parse_http_date(text, *parse_http_date(now));
    for (int year = 1900; given && year < 2200; ++year) {
      const std::string begin = "Sun, 01 Jan " + std::to_string(year) + " 00:00:00 GMT";
      const std::string end = "Sun, 31 Dec " + std::to_string(year) + " 23:59:59 GMT";
      if (*given >= *parse_http_date(begin) && *given <= *parse_http_date(end)) return year;
    }
    return 0;
  };
  constexpr std::string_view now = "Thu, 26 Nov 2026 12:00:00 GMT";

  EXPECT_EQ(year_of("Sunday, 06-Nov-94 08:49:37 GMT", now), 1994);
  EXPECT_EQ(year_of("Sunday, 06-Nov-26 08:49:37 GMT", now), 2026);
  EXPECT_EQ(year_of("Sunday, 06-Nov-75 08:49:37 GMT", now), 2075);
  EXPECT_EQ(year_of("Sunday, 06-Nov-76 08:49:37 GMT", now), 2076);
  EXPECT_EQ(year_of("Sunday, 06-Dec-76 08:49:37 GMT", now), 1976);
  EXPECT_EQ(year_of("Sunday, 06-Nov-77 08:49:37 GMT", now), 1977);
  EXPECT_EQ(year_of("Sunday, 06-Nov-05 08:49:37 GMT", "Sun, 06 Nov 2094 08:49:37 GMT"), 2105);
  EXPECT_EQ(year_of("Tuesday, 29-Feb-00 08:49:37 GMT", now), 2000);
}

TEST(HttpConditions, TakeDatesOfTheObsoleteForms) {
  constexpr std::string_view modified = "Sun, 06 Nov 1994 08:49:37 GMT";
  for (const std::string_view same : {"Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    Metadata since;
    since.add("if-modified-since", same);
    EXPECT_EQ(answer_conditions("GET", since, "", modified, 10).status, 304u) << same;
  }
  Metadata earlier;
  earlier.add("if-unmodified-since", "Sat Nov  5 08:49:37 1994");
  EXPECT_EQ(answer_conditions("GET", earlier, "", modified, 10).status, 412u);
}

}  // namespace
}  // namespace trunkline::http
