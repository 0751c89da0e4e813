// SPDX-License-Identifier: MIT
// Tests of the json codec with Values.
#include <trunkline/value.h>

#include <unit/codec/coding.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace trunkline::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Value nested(std::size_t levels) {
  Value value = 1;
  for (std::size_t i = 0; i < levels; ++i) value = i % 2 == 0 ? Value::array({value}) : Value::object({{"a", value}});
  return value;
}

/// The value, or the status's text after "! ".
Value read(std::string_view payload) {
  Value value = "untouched";
  const Status status = decode("json", payload, value);
  return status.is_ok() ? value : Value("! " + status.to_string());
}

TEST(JsonCodec, WritesCompactJson) {
  const Value value =
      Value::object({{"b", Value::array({nullptr, true, false, -1, 1.5})}, {"a", Value::object()}, {"", "x"}});

  EXPECT_EQ(encoded("json", value), R"({"b":[null,true,false,-1,1.5],"a":{},"":"x"})");
  EXPECT_EQ(encoded("json", Value()), "null");
  EXPECT_EQ(encoded("json", Value::array()), "[]");
}

TEST(JsonCodec, WritesIntegersExactly) {
  EXPECT_EQ(encoded("json", Value(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
  EXPECT_EQ(encoded("json", Value(std::numeric_limits<std::uint64_t>::max())), "18446744073709551615");
}

TEST(JsonCodec, WritesDoublesSoThatTheyReadBackAsDoubles) {
  EXPECT_EQ(encoded("json", Value(1.0)), "1.0");
  EXPECT_EQ(encoded("json", Value(-0.0)), "-0.0");
  EXPECT_EQ(encoded("json", Value(0.1)), "0.1");
  EXPECT_EQ(encoded("json", Value(1e300)), "1e+300");
  for (const double number : {1.0, -0.0, 0.1, 1e300, 5e-324, 1.7976931348623157e308, 9007199254740993.0}) {
    const Value back = read(encoded("json", Value(number)));
    ASSERT_EQ(back.kind(), Value::Kind::float64) << number;
    EXPECT_EQ(back.as_double(), number);
    EXPECT_EQ(std::signbit(back.as_double()), std::signbit(number));
  }
}

TEST(JsonCodec, EscapesWhatMustBeEscaped) {
  const std::string text = std::string("q\" b\\ s/ \b\f\n\r\t \x01\x1F\x7F ") + '\0' + " \xC3\xA9 \xF0\x9F\x98\x80";

  const std::string json = encoded("json", Value(text));

  EXPECT_EQ(json, "\"q\\\" b\\\\ s/ \\b\\f\\n\\r\\t \\u0001\\u001f\x7F \\u0000 \xC3\xA9 \xF0\x9F\x98\x80\"");
  EXPECT_EQ(read(json), Value(text));
}

TEST(JsonCodec, WritesBytesAsBase64) {
  EXPECT_EQ(encoded("json", Value::bytes(as_bytes("\xFF"))), "\"/w==\"");
  EXPECT_EQ(encoded("json", Value::array({Value::bytes({})})), "[\"\"]");
}

TEST(JsonCodec, RefusesWhatJsonCannotSayAndWhere) {
  EXPECT_EQ(encoded("json", Value(std::nan(""))), "! internal: encode json: nan has no form in json");
  EXPECT_EQ(encoded("json", Value::object({{"a", Value::array({1, infinity})}})),
            "! internal: encode json: at /a/1: infinity has no form in json");
  EXPECT_EQ(encoded("json", Value::array({-infinity})), "! internal: encode json: at /0: infinity has no form in json");
  EXPECT_EQ(encoded("json", Value("\xFF")), "! internal: encode json: string is not utf-8; use bytes");
  EXPECT_EQ(encoded("json", Value::object({{"\xFF", 1}})), "! internal: encode json: at /?: name is not utf-8");
  EXPECT_EQ(encoded("json", Value::object({{"a", 1}, {"a", 2}})),
            "! internal: encode json: object has a repeated name");
}

TEST(JsonCodec, AppendsNothingOnError) {
  BufferWriter out;
  out.append("before");

  const Status status = codec("json").encode(MessageView::of(Value::array({1, 2, infinity})), out);

  EXPECT_FALSE(status.is_ok());
  EXPECT_EQ(as_text(out.bytes()), "before");
}

TEST(JsonCodec, ReadsEveryKind) {
  EXPECT_EQ(read(R"( {"b" : [null, true, false, -1, 1.5, 1e2], "a":{}, "s":"\u00e9\ud83d\ude00\/"} )"),
            Value::object({{"b", Value::array({nullptr, true, false, -1, 1.5, 100.0})},
                           {"a", Value::object()},
                           {"s", "\xC3\xA9\xF0\x9F\x98\x80/"}}));
  EXPECT_EQ(read("18446744073709551615"), Value(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(read("-9223372036854775808"), Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(read("18446744073709551616"), Value(18446744073709551616.0));
}

TEST(JsonCodec, KeepsTheOrderOfMembers) {
  const Value value = read(R"({"z":1,"a":2,"m":3})");

  EXPECT_EQ(encoded("json", value), R"({"z":1,"a":2,"m":3})");
}

TEST(JsonCodec, ReplacesWhatWasThere) {
  Value value = Value::object({{"old", 1}});

  EXPECT_EQ(decode_text("json", "[2]", value), "ok");

  EXPECT_EQ(value, Value::array({2}));
}

TEST(JsonCodec, SaysWhereTheTextIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "byte 0 of 0: empty payload"},
      {" ", "byte 1 of 1: syntax error"},
      {"{\"a\":1,}", "byte 8 of 8: syntax error"},
      {"[1 2]", "byte 5 of 5: syntax error"},
      {"[1,]", "byte 4 of 4: syntax error"},
      {"{a:1}", "byte 2 of 5: syntax error"},
      {"1 x", "byte 3 of 3: syntax error"},
      {"{} {}", "byte 4 of 5: syntax error"},
      {"nul", "byte 3 of 3: syntax error"},
      {"NaN", "byte 1 of 3: syntax error"},
      {"Infinity", "byte 1 of 8: syntax error"},
      {"01", "byte 2 of 2: syntax error"},
      {"'a'", "byte 1 of 3: syntax error"},
      {"// c\n1", "byte 1 of 6: syntax error"},
      {"\"a\nb\"", "byte 3 of 5: syntax error"},
      {"\"\\ud83d\"", "byte 8 of 8: syntax error"},
      {"\"\xFF\"", "byte 2 of 3: syntax error"},
      {"[1e999]", "byte 7 of 7: number out of range"},
      {"{\"a\":1,\"a\":2}", "byte 13 of 13: object has a repeated name"},
  };
  for (const auto& [payload, error] : cases) {
    EXPECT_EQ(read(payload), Value(std::string("! invalid_argument: decode json: ") + error)) << payload;
  }
}

TEST(JsonCodec, RefusesEveryTruncation) {
  const std::string whole = R"({"a":[1,2.5,"x\n",{"b":null}],"c":{"d":true}})";
  ASSERT_TRUE(read(whole).is_object());

  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(read(whole.substr(0, size)).is_string()) << size;
  }
}

TEST(JsonCodec, FindsARepeatedNameAmongMany) {
  std::string json = "{";
  for (int i = 0; i < 1000; ++i) json += "\"n" + std::to_string(i) + "\":0,";

  EXPECT_EQ(read(json + "\"last\":0}").size(), 1001U);
  EXPECT_TRUE(read(json + "\"n500\":0}").as_string().ends_with("object has a repeated name"));
}

TEST(JsonCodec, NestsTo64LevelsBothWays) {
  const std::string deepest = encoded("json", nested(64));

  EXPECT_EQ(read(deepest), nested(64));
  EXPECT_TRUE(encoded("json", nested(65)).ends_with("nesting exceeds 64 levels"));
  EXPECT_EQ(read("[" + deepest + "]").as_string().substr(0, 34), "! invalid_argument: decode json: b");
  EXPECT_TRUE(read("[" + deepest + "]").as_string().ends_with("nesting exceeds 64 levels"));
}

TEST(JsonCodec, StopsAtABombOfBrackets) {
  const std::string bomb(1 << 20, '[');

  EXPECT_EQ(read(bomb), Value("! invalid_argument: decode json: byte 65 of 1048576: nesting exceeds 64 levels"));
}

}  // namespace
}  // namespace trunkline::test
