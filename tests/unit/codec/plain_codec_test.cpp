// SPDX-License-Identifier: MIT
// Plain types by json and msgpack: their form, the range of numbers, where something does not fit, and their names.
#include "unit/codec/plain_types.h"

#include <trunkline/type_description.h>

#include <cmath>
#include <limits>

namespace trunkline::test {

namespace {

template <class T>
struct Pair {
  T first;
  T second;
};

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
  EXPECT_EQ(json_of(std::vector<Point>{{1, 2}}), R"([{"x":1.0,"y":2.0}])");
  EXPECT_EQ(json_of(std::map<std::string, std::optional<int>>{{"a", 1}, {"b", std::nullopt}}), R"({"a":1,"b":null})");
  EXPECT_EQ(json_of(Color::blue), "-2");
  EXPECT_EQ(json_of(std::vector<std::byte>{std::byte{1}, std::byte{2}}), R"("AQI=")");
}

TEST(PlainCodec, MessagePackIsThatOfOthers) {
  BufferWriter out;

  ASSERT_TRUE(codec("msgpack").encode(MessageView::of(Pair<int>{3, 300}), out).is_ok());

  EXPECT_EQ(as_text(out.bytes()), std::string_view("\x82\xA5\x66irst\x03\xA6second\xCD\x01\x2C"));
}

TEST(PlainCodec, CarriesExtremes) {
  Assortment all;
  all.small = -128;
  all.middle = 65535;
  all.big = std::numeric_limits<std::int64_t>::min();
  all.huge = std::numeric_limits<std::uint64_t>::max();
  all.thin = std::numeric_limits<float>::max();
  all.wide = std::numeric_limits<double>::denorm_min();
  all.content = {std::byte{0}, std::byte{255}};

  expect_round_trip(all);
  expect_round_trip(Assortment{});
}

TEST(PlainCodec, ChecksTheRangeOfNumbers) {
  EXPECT_EQ(read_json<std::int8_t>("-128"), "-128");
  EXPECT_EQ(read_json<std::int8_t>("128"), "decode json: the number is not in -128 to 127");
  EXPECT_EQ(read_json<std::uint8_t>("256"), "decode json: the number is not in 0 to 255");
  EXPECT_EQ(read_json<std::uint64_t>("-1"), "decode json: the number is not in 0 to 18446744073709551615");
  EXPECT_EQ(read_json<std::uint64_t>("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(read_json<std::int64_t>("18446744073709551615"),
            "decode json: the number is not in -9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(read_json<double>("7"), "7.0");
  EXPECT_EQ(read_json<float>("-3.4e38").substr(0, 4), "-3.3");
  EXPECT_EQ(read_json<float>("3.5e38"), "decode json: it is too large a number for 32 bits");
  EXPECT_EQ(read_json<float>("-1e39"), "decode json: it is too large a number for 32 bits");
  EXPECT_EQ(read_json<Color>("200"), "decode json: the number is not in -128 to 127");
}

TEST(PlainCodec, CarriesInfinityInMessagePack) {
  for (const float number : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    BufferWriter out;
    ASSERT_TRUE(codec("msgpack").encode(MessageView::of(number), out).is_ok());
    float back = 0;

    EXPECT_TRUE(codec("msgpack").decode(out.take(), MutableMessageView::of(back)).is_ok());

    EXPECT_EQ(back, number);
  }
}

TEST(PlainCodec, NamesOfThePeerAreCutAndAsciiInErrors) {
  using Numbers = std::map<std::string, int>;
  const std::string longer(1000, 'n');

  EXPECT_EQ(read_json<Numbers>("{\"\\u0001\\n\xC3\xA4\": null}"),
            "decode json: at /\?\?\?\?: expected an integer, not null");
  EXPECT_EQ(read_json<Numbers>("{\"" + longer + "\": null}"),
            "decode json: at /" + longer.substr(0, 64) + "...: expected an integer, not null");
}

TEST(PlainCodec, CannotWriteWhatJsonHasNoWordFor) {
  EXPECT_TRUE(json_of(std::vector<Point>{{1, std::nan("")}}).starts_with("encode json: at /0/y: "));
  EXPECT_EQ(json_of(std::string("\xFF")), "encode json: string is not utf-8; use bytes");
}

TEST(PlainCodec, KeepsToTheLimitOfNodes) {
  const CodecRegistry limited = CodecRegistry::with_defaults({.max_value_nodes = 4});
  std::vector<int> numbers;

  const Status status = limited.find("json")->decode(Slice::copy_of("[1,2,3,4]"), MutableMessageView::of(numbers));

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
}

TEST(PlainType, HasTheNamesOfItsFieldsWhereverItIsDeclared) {
  struct Local {
    int one;
    std::vector<Local> others;
  };

  EXPECT_EQ(detail::field_names<Local>(), (std::array<std::string_view, 2>{"one", "others"}));
  EXPECT_EQ(detail::field_names<Pair<Point>>(), (std::array<std::string_view, 2>{"first", "second"}));
  EXPECT_EQ(detail::field_names<Assortment>()[20], "children");
}

TEST(PlainType, IsCalledByItsNameWithoutNamespaces) {
  struct Local {
    int one;
  };

  EXPECT_EQ(to_string(detail::describe<Point>()), "Point");
  EXPECT_EQ(to_string(detail::describe<Local>()), "Local");
  const std::string pair = to_string(detail::describe<Pair<Point>>());
  EXPECT_TRUE(pair.starts_with("Pair<") && pair.ends_with("Point>")) << pair;
}

}  // namespace

}  // namespace trunkline::test
