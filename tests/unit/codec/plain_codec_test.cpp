// SPDX-License-Identifier: MIT
// Plain types by json and msgpack: their form, what is taken, and where something does not fit.
#include "unit/codec/coding.h"
#include "unit/codec/plain_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace trunkline::test {

namespace {

template <class T>
std::string json_of(const T& message) {
  BufferWriter out;
  const Status status = codec("json").encode(MessageView::of(message), out);
  return status.is_ok() ? std::string(as_text(out.bytes())) : std::string(status.message());
}

/// What the text is as a T, again as JSON; or why not.
template <class T>
std::string read_json(std::string_view text) {
  T message{};
  const Status status = codec("json").decode(Slice::copy_of(text), MutableMessageView::of(message));
  if (status.is_ok()) return json_of(message);
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  return std::string(status.message());
}

TEST(PlainCodec, WritesStructuresByTheNamesOfTheirFields) {
  EXPECT_EQ(json_of(Point{1, -2.5}), R"({"x":1.0,"y":-2.5})");
  EXPECT_EQ(json_of(Range(3, 8)), R"({"low_":3,"high_":8})");
  EXPECT_EQ(json_of(std::vector<Point>{{1, 2}}), R"([{"x":1.0,"y":2.0}])");
  EXPECT_EQ(json_of(std::map<std::string, std::optional<int>>{{"a", 1}, {"b", std::nullopt}}), R"({"a":1,"b":null})");
  EXPECT_EQ(json_of(std::string("hi")), R"("hi")");
  EXPECT_EQ(json_of(Color::blue), "-2");
  EXPECT_EQ(json_of(true), "true");
  EXPECT_EQ(json_of(std::vector<std::byte>{std::byte{1}, std::byte{2}}), R"("AQI=")");
}

TEST(PlainCodec, MessagePackIsThatOfOthers) {
  BufferWriter out;

  ASSERT_TRUE(codec("msgpack").encode(MessageView::of(Range(3, 300)), out).is_ok());

  EXPECT_EQ(as_text(out.bytes()), std::string_view("\x82\xA4low_\x03\xA5high_\xCD\x01\x2C"));
}

TEST(PlainCodec, ReadsWhatItWrote) {
  Assortment all{.flag = true,
                 .small = -128,
                 .middle = 65535,
                 .big = std::numeric_limits<std::int64_t>::min(),
                 .huge = std::numeric_limits<std::uint64_t>::max(),
                 .thin = 1.5f,
                 .wide = 1e300,
                 .name = "nämé",
                 .content = {std::byte{0}, std::byte{255}},
                 .points = {{1, 2}, {3, 4}},
                 .rows = {{1, 2}, {}, {3}},
                 .maybe = "there",
                 .center = Point{5, 6},
                 .by_name = {{"a", {1, 2}}},
                 .counts = {{"x", 1}, {"y", 2}},
                 .words = {"b", "a"},
                 .axes = {1, 2, 3},
                 .color = Color::blue,
                 .anything = Value::object({{"deep", Value::array({1, nullptr})}}),
                 .bits = {true, false, true},
                 .children = {}};
  all.children.emplace_back();

  expect_round_trip(all);
  expect_round_trip(Assortment{});
  expect_round_trip(Range(-1, 1));
  expect_round_trip(std::optional<int>());
  expect_round_trip(std::string("text"));
}

TEST(PlainCodec, SkipsUnknownFieldsAndWantsTheOthers) {
  struct Loose {
    int a;
    std::optional<int> b;
  };

  EXPECT_EQ(read_json<Loose>(R"({"z": [1, {"a": 2}], "a": 1})"), R"({"a":1,"b":null})");
  EXPECT_EQ(read_json<Loose>(R"({"b": null, "a": 1})"), R"({"a":1,"b":null})");
  EXPECT_EQ(read_json<Loose>(R"({"b": 1})"), "decode json: $: field a is missing");
}

TEST(PlainCodec, SaysWhatDoesNotFitAndWhere) {
  struct Shape {
    std::vector<Point> points;
    std::map<std::string, std::vector<bool>> flags;
  };

  EXPECT_EQ(read_json<Shape>(R"({"points": [{"x": 1, "y": 2}, {"x": "1", "y": 2}], "flags": {}})"),
            "decode json: $.points[1].x: expected a number, not a string");
  EXPECT_EQ(read_json<Shape>(R"({"points": [], "flags": {"a": [true, 1]}})"),
            "decode json: $.flags.a[1]: expected a boolean, not a number");
  EXPECT_EQ(read_json<Shape>(R"({"points": {}, "flags": {}})"),
            "decode json: $.points: expected a list, not an object");
  EXPECT_EQ(read_json<Shape>(R"({"points": [null], "flags": {}})"),
            "decode json: $.points[0]: expected an object, not null");
  EXPECT_EQ(read_json<Shape>(R"({"points": [{"x": 1}], "flags": {}})"),
            "decode json: $.points[0]: field y is missing");
  EXPECT_EQ(read_json<Shape>("[]"), "decode json: $: expected an object, not a list");
  EXPECT_EQ(read_json<Point>(R"({"x": 1, "y": true})"), "decode json: $.y: expected a number, not a boolean");
  EXPECT_EQ((read_json<std::array<int, 2>>("[1]")), "decode json: $: expected 2 elements, not 1");
  EXPECT_EQ(read_json<std::string>("7"), "decode json: $: expected a string, not a number");
  EXPECT_EQ((read_json<std::map<std::string, int>>("{\"\\u0001\\n\": null}")),
            "decode json: $.??: expected an integer, not null");
}

TEST(PlainCodec, ChecksTheRangeOfNumbers) {
  EXPECT_EQ(read_json<std::int8_t>("-128"), "-128");
  EXPECT_EQ(read_json<std::int8_t>("128"), "decode json: $: the number does not fit int8");
  EXPECT_EQ(read_json<std::uint8_t>("255"), "255");
  EXPECT_EQ(read_json<std::uint8_t>("256"), "decode json: $: the number does not fit uint8");
  EXPECT_EQ(read_json<std::uint64_t>("-1"), "decode json: $: the number does not fit uint64");
  EXPECT_EQ(read_json<std::uint64_t>("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(read_json<std::int64_t>("18446744073709551615"), "decode json: $: the number does not fit int64");
  EXPECT_EQ(read_json<std::int64_t>("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(read_json<std::int32_t>("7.0"), "7");
  EXPECT_EQ(read_json<std::int32_t>("7.5"), "decode json: $: expected an integer, not a fraction");
  EXPECT_EQ(read_json<std::int64_t>("1e30"), "decode json: $: expected an integer, not a fraction");
  EXPECT_EQ(read_json<double>("7"), "7.0");
  EXPECT_EQ(read_json<float>("1e39"), "decode json: $: the number does not fit float");
  EXPECT_EQ(read_json<Color>("-2"), "-2");
  EXPECT_EQ(read_json<Color>("200"), "decode json: $: the number does not fit int8");
}

TEST(PlainCodec, TakesBytesAsBase64AndAsTheyAre) {
  using Content = std::vector<std::byte>;
  BufferWriter out;
  ASSERT_TRUE(codec("msgpack").encode(MessageView::of(Value::bytes(as_bytes("ab"))), out).is_ok());
  Content content;

  EXPECT_TRUE(codec("msgpack").decode(out.take(), MutableMessageView::of(content)).is_ok());

  EXPECT_EQ(as_text(ByteSpan(content)), "ab");
  EXPECT_EQ(read_json<Content>(R"("YWI=")"), R"("YWI=")");
  EXPECT_EQ(read_json<Content>(R"("?")"), "decode json: $: expected bytes, not a string that is no base64");
  EXPECT_EQ(read_json<Content>("[1]"), "decode json: $: expected bytes, not a list");
}

TEST(PlainCodec, CannotWriteWhatJsonHasNoWordFor) {
  EXPECT_EQ(json_of(std::vector<Point>{{1, std::nan("")}}).substr(0, 22), "encode json: at /0/y: ");
  EXPECT_EQ(json_of(std::string("\xFF")), "encode json: string is not utf-8; use bytes");
}

TEST(PlainCodec, KeepsToTheLimitOfNodes) {
  const CodecRegistry limited = CodecRegistry::with_defaults({.max_value_nodes = 4});
  std::vector<int> numbers;

  const Status status =
      limited.find("json")->decode(Slice::copy_of("[1,2,3,4]"), MutableMessageView::of(numbers));

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
}

}  // namespace

}  // namespace trunkline::test
