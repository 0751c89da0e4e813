// SPDX-License-Identifier: MIT
// Tests of Value.
#include <trunkline/value.h>

#include <gtest/gtest.h>

#include <limits>

namespace trunkline {
namespace {

/// The text of the StatusError that the call throws.
template <class Call>
std::string thrown(Call call) {
  try {
    call();
  } catch (const StatusError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Value, IsNullAtFirst) {
  EXPECT_TRUE(Value().is_null());
  EXPECT_TRUE(Value(nullptr).is_null());
  EXPECT_EQ(Value(), Value(nullptr));
}

TEST(Value, TakesItsKindFromItsInitializer) {
  EXPECT_EQ(Value(true).kind(), Value::Kind::boolean);
  EXPECT_EQ(Value(1).kind(), Value::Kind::int64);
  EXPECT_EQ(Value(static_cast<std::uint8_t>(1)).kind(), Value::Kind::int64);
  EXPECT_EQ(Value(1.0F).kind(), Value::Kind::float64);
  EXPECT_EQ(Value("x").kind(), Value::Kind::string);
  EXPECT_EQ(Value(std::string_view("x")).kind(), Value::Kind::string);
  EXPECT_EQ(Value(std::string("x")).kind(), Value::Kind::string);
  EXPECT_EQ(Value::bytes(as_bytes("x")).kind(), Value::Kind::bytes);
  EXPECT_EQ(Value::array().kind(), Value::Kind::array);
  EXPECT_EQ(Value::object().kind(), Value::Kind::object);
  static_assert(!std::is_constructible_v<Value, int*>);
}

TEST(Value, KeepsUnsignedOnlyBeyondInt64) {
  const auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

  EXPECT_EQ(Value(largest).kind(), Value::Kind::int64);
  EXPECT_EQ(Value(largest + 1).kind(), Value::Kind::uint64);
  EXPECT_EQ(Value(5U), Value(5));
}

TEST(Value, ConvertsIntegersWhereTheyFit) {
  EXPECT_EQ(Value(7).as_int64(), 7);
  EXPECT_EQ(Value(7).as_uint64(), 7U);
  EXPECT_EQ(Value(std::numeric_limits<std::uint64_t>::max()).as_uint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(thrown([] { (void)Value(-1).as_uint64(); }),
            "invalid_argument: value: expected uint64, found a negative integer");
  EXPECT_EQ(thrown([] { (void)Value(std::numeric_limits<std::uint64_t>::max()).as_int64(); }),
            "invalid_argument: value: integer exceeds the range of int64");
  EXPECT_EQ(thrown([] { (void)Value(1.0).as_int64(); }), "invalid_argument: value: expected int64, found float64");
}

TEST(Value, ConvertsNumbersToDouble) {
  EXPECT_EQ(Value(1.5).as_double(), 1.5);
  EXPECT_EQ(Value(-2).as_double(), -2.0);
  EXPECT_EQ(Value(std::uint64_t{1} << 63).as_double(), 9223372036854775808.0);
  EXPECT_EQ(thrown([] { (void)Value("1").as_double(); }), "invalid_argument: value: expected float64, found string");
}

TEST(Value, NamesBothKindsOfAWrongAccess) {
  EXPECT_EQ(thrown([] { (void)Value(1).as_bool(); }), "invalid_argument: value: expected boolean, found int64");
  EXPECT_EQ(thrown([] { (void)Value().as_string(); }), "invalid_argument: value: expected string, found null");
  EXPECT_EQ(thrown([] { (void)Value("x").as_bytes(); }), "invalid_argument: value: expected bytes, found string");
  EXPECT_EQ(thrown([] { (void)Value::object().as_array(); }), "invalid_argument: value: expected array, found object");
  EXPECT_EQ(thrown([] { (void)Value::array().as_object(); }), "invalid_argument: value: expected object, found array");
}

TEST(Value, FindsMembersInTheOrderGiven) {
  const Value value = Value::object({{"b", 1}, {"a", Value::array({1, "x", nullptr})}});

  EXPECT_EQ(value.size(), 2U);
  EXPECT_EQ(value.as_object()[0].first, "b");
  EXPECT_EQ(value.at("a").at(1).as_string(), "x");
  EXPECT_EQ(value.find("c"), nullptr);
  EXPECT_EQ(Value(1).find("c"), nullptr);
  EXPECT_EQ(Value(1).size(), 0U);
}

TEST(Value, SaysWhichMemberOrElementIsMissing) {
  EXPECT_EQ(thrown([] { (void)Value::object().at("c"); }), "not_found: value: no member named c");
  EXPECT_EQ(thrown([] { (void)Value::array({1}).at(1); }), "out_of_range: value: index 1 in an array of 1");
  EXPECT_EQ(thrown([] { (void)Value(1).at("c"); }), "invalid_argument: value: expected object, found int64");
  EXPECT_EQ(thrown([] { (void)Value(1).at(0); }), "invalid_argument: value: expected array, found int64");
}

TEST(Value, GrowsFromNull) {
  Value value;

  value["list"].push_back(1);
  value["list"].push_back("two");
  value["list"].push_back(nullptr);
  value["name"] = "x";
  value["name"] = "y";

  EXPECT_EQ(value, Value::object({{"list", Value::array({1, "two", nullptr})}, {"name", "y"}}));
  EXPECT_EQ(thrown([] { Value("x")["a"] = 1; }), "invalid_argument: value: expected object, found string");
  EXPECT_EQ(thrown([] { Value("x").push_back(1); }), "invalid_argument: value: expected array, found string");
}

TEST(Value, ComparesKindsExactly) {
  EXPECT_NE(Value(1), Value(1.0));
  EXPECT_NE(Value("x"), Value::bytes(as_bytes("x")));
  EXPECT_NE(Value(false), Value());
  EXPECT_NE(Value::array(), Value::object());
  EXPECT_NE(Value(std::numeric_limits<double>::quiet_NaN()), Value(std::numeric_limits<double>::quiet_NaN()));
}

TEST(Value, ComparesObjectsWhateverTheirOrder) {
  const Value value = Value::object({{"a", 1}, {"b", Value::object({{"c", 2}, {"d", 3}})}});

  EXPECT_EQ(value, Value::object({{"b", Value::object({{"d", 3}, {"c", 2}})}, {"a", 1}}));
  EXPECT_NE(value, Value::object({{"b", Value::object({{"d", 2}, {"c", 3}})}, {"a", 1}}));
  EXPECT_NE(value, Value::object({{"a", 1}}));
  EXPECT_NE(Value::array({1, 2}), Value::array({2, 1}));
}

TEST(Value, DecodesBytesFromBase64Too) {
  const Value::Bytes content = Value::bytes(as_bytes("hello")).as_bytes();

  EXPECT_EQ(Value(content).decode_bytes().value(), content);
  EXPECT_EQ(Value("aGVsbG8=").decode_bytes().value(), content);
  EXPECT_EQ(Value("aGVsbG8").decode_bytes().status().to_string(),
            "invalid_argument: value: string is not padded base64");
  EXPECT_EQ(Value(1).decode_bytes().status().to_string(),
            "invalid_argument: value: expected bytes or a base64 string, found int64");
}

TEST(Value, CopiesDeeply) {
  Value original = Value::object({{"a", Value::array({1})}});

  Value copy = original;
  copy["a"].push_back(2);

  EXPECT_EQ(original.at("a").size(), 1U);
  EXPECT_EQ(copy.at("a").size(), 2U);
}

TEST(Value, NamesEveryKind) {
  EXPECT_EQ(to_string(Value::Kind::null), "null");
  EXPECT_EQ(to_string(Value::Kind::object), "object");
  EXPECT_EQ(to_string(static_cast<Value::Kind>(99)), "unknown");
}

}  // namespace
}  // namespace trunkline
