// SPDX-License-Identifier: MIT
// Tests of the texts of times and field masks.
#include <codec/well_known_text.h>

#include <gtest/gtest.h>

#include <string>

namespace trunkline::codec {
namespace {

std::string timestamp(std::int64_t seconds, std::int32_t nanos) {
  BufferWriter out;
  return append_timestamp({seconds, nanos}, out) ? std::string(as_text(out.bytes())) : "!";
}

std::string duration(std::int64_t seconds, std::int32_t nanos) {
  BufferWriter out;
  return append_duration({seconds, nanos}, out) ? std::string(as_text(out.bytes())) : "!";
}

template <class Parse>
std::string parsed(Parse parse, std::string_view text) {
  SecondsAndNanos time;
  return parse(text, time) ? std::to_string(time.seconds) + " " + std::to_string(time.nanos) : "!";
}

TEST(Timestamp, IsWritten) {
  EXPECT_EQ(timestamp(0, 0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(timestamp(63108020, 21'000'000), "1972-01-01T10:00:20.021Z");
  EXPECT_EQ(timestamp(-1, 999'999'999), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(timestamp(951782400, 1000), "2000-02-29T00:00:00.000001Z");
  EXPECT_EQ(timestamp(-62135596800, 0), "0001-01-01T00:00:00Z");
  EXPECT_EQ(timestamp(253402300799, 0), "9999-12-31T23:59:59Z");
  EXPECT_EQ(timestamp(-62135596801, 0), "!");
  EXPECT_EQ(timestamp(253402300800, 0), "!");
  EXPECT_EQ(timestamp(0, -1), "!");
  EXPECT_EQ(timestamp(0, 1'000'000'000), "!");
}

TEST(Timestamp, IsRead) {
  EXPECT_EQ(parsed(parse_timestamp, "1970-01-01T00:00:00Z"), "0 0");
  EXPECT_EQ(parsed(parse_timestamp, "1970-01-01T01:30:00.5+01:30"), "0 500000000");
  EXPECT_EQ(parsed(parse_timestamp, "1969-12-31T16:00:00.123456789-08:00"), "0 123456789");
  EXPECT_EQ(parsed(parse_timestamp, "2000-02-29T23:59:59Z"), "951868799 0");
  for (const std::string_view text : {"",
                                      "1970-01-01",
                                      "1970-01-01T00:00:00",
                                      "1970-01-01t00:00:00Z",
                                      "1970-01-01T00:00:00z",
                                      "1970-01-01 00:00:00Z",
                                      "1970-1-01T00:00:00Z",
                                      "1970-13-01T00:00:00Z",
                                      "1970-00-01T00:00:00Z",
                                      "1970-02-30T00:00:00Z",
                                      "1900-02-29T00:00:00Z",
                                      "1970-01-01T24:00:00Z",
                                      "1970-01-01T00:60:00Z",
                                      "1970-01-01T00:00:60Z",
                                      "1970-01-01T00:00:00.Z",
                                      "1970-01-01T00:00:00.1234567891Z",
                                      "1970-01-01T00:00:00+24:00",
                                      "1970-01-01T00:00:00+1:00",
                                      "1970-01-01T00:00:00Zx",
                                      "0000-01-01T00:00:00Z",
                                      "0001-01-01T00:00:00+00:01",
                                      "10000-01-01T00:00:00Z",
                                      "9999-12-31T23:59:59-00:01",
                                      "-970-01-01T00:00:00Z"}) {
    EXPECT_EQ(parsed(parse_timestamp, text), "!") << text;
  }
}

TEST(Duration, IsWritten) {
  EXPECT_EQ(duration(0, 0), "0s");
  EXPECT_EQ(duration(3, 1'000), "3.000001s");
  EXPECT_EQ(duration(-3, -500'000'000), "-3.500s");
  EXPECT_EQ(duration(0, -1), "-0.000000001s");
  EXPECT_EQ(duration(315'576'000'000, 999'999'999), "315576000000.999999999s");
  EXPECT_EQ(duration(315'576'000'001, 0), "!");
  EXPECT_EQ(duration(INT64_MIN, 0), "!");
  EXPECT_EQ(duration(1, -1), "!");
  EXPECT_EQ(duration(-1, 1), "!");
  EXPECT_EQ(duration(0, 1'000'000'000), "!");
  EXPECT_EQ(duration(0, -1'000'000'000), "!");
}

TEST(Duration, IsRead) {
  EXPECT_EQ(parsed(parse_duration, "0s"), "0 0");
  EXPECT_EQ(parsed(parse_duration, "1.5s"), "1 500000000");
  EXPECT_EQ(parsed(parse_duration, "-0.25s"), "0 -250000000");
  EXPECT_EQ(parsed(parse_duration, "-315576000000.999999999s"), "-315576000000 -999999999");
  for (const std::string_view text : {"", "s", "-s", "1", "1.s", ".5s", "+1s", "--1s", "1S", "1 s", "1ss", "1e3s",
                                      "315576000001s", "99999999999999999999s", "1.1234567891s"}) {
    EXPECT_EQ(parsed(parse_duration, text), "!") << text;
  }
}

TEST(FieldMask, PathsGoBothWays) {
  for (const auto& [snake, camel] :
       {std::pair("foo", "foo"), {"foo_bar", "fooBar"}, {"a.b_c.d", "a.bC.d"}, {"f1", "f1"}}) {
    BufferWriter out;
    std::string path;
    EXPECT_TRUE(append_camel_case_path(snake, out));
    EXPECT_EQ(as_text(out.bytes()), camel);
    EXPECT_TRUE(parse_camel_case_path(camel, path));
    EXPECT_EQ(path, snake);
  }
}

TEST(FieldMask, RefusesPathsThatWouldComeBackChanged) {
  for (const std::string_view path : {"fooBar", "foo_", "foo__bar", "foo_1", "foo_.bar", "Foo"}) {
    BufferWriter out;
    EXPECT_FALSE(append_camel_case_path(path, out)) << path;
  }
  std::string path;
  EXPECT_FALSE(parse_camel_case_path("foo_bar", path));
}

}  // namespace
}  // namespace trunkline::codec
