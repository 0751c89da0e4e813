// SPDX-License-Identifier: MIT
// Tests of the msgpack codec.
#include <trunkline/value.h>

#include <unit/codec/coding.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace trunkline::test {
namespace {

/// The value, or the status's text after "! ".
Value read(std::string_view payload) {
  Value value = "untouched";
  const Status status = decode("msgpack", payload, value);
  return status.is_ok() ? value : Value("! " + status.to_string());
}

std::string hex(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text.push_back(digits[static_cast<unsigned char>(c) >> 4]);
    text.push_back(digits[static_cast<unsigned char>(c) & 15]);
  }
  return text;
}

std::string from_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

TEST(MsgpackCodec, WritesEachNumberInItsShortestForm) {
  const std::pair<Value, const char*> cases[] = {{0, "00"},
                                                 {127, "7f"},
                                                 {128, "cc80"},
                                                 {255, "ccff"},
                                                 {256, "cd0100"},
                                                 {65535, "cdffff"},
                                                 {65536, "ce00010000"},
                                                 {4294967295, "ceffffffff"},
                                                 {4294967296, "cf0000000100000000"},
                                                 {std::numeric_limits<std::uint64_t>::max(), "cfffffffffffffffff"},
                                                 {-1, "ff"},
                                                 {-32, "e0"},
                                                 {-33, "d0df"},
                                                 {-128, "d080"},
                                                 {-129, "d1ff7f"},
                                                 {-32768, "d18000"},
                                                 {-32769, "d2ffff7fff"},
                                                 {std::numeric_limits<std::int32_t>::min(), "d280000000"},
                                                 {-2147483649, "d3ffffffff7fffffff"},
                                                 {std::numeric_limits<std::int64_t>::min(), "d38000000000000000"},
                                                 {1.5, "cb3ff8000000000000"},
                                                 {nullptr, "c0"},
                                                 {false, "c2"},
                                                 {true, "c3"}};
  for (const auto& [value, bytes] : cases) {
    EXPECT_EQ(hex(encoded("msgpack", value)), bytes);
    EXPECT_EQ(read(from_hex(bytes)), value) << bytes;
  }
}

TEST(MsgpackCodec, ReadsLongerFormsOfNumbers) {
  EXPECT_EQ(read(from_hex("cc01")), Value(1));
  EXPECT_EQ(read(from_hex("cf0000000000000001")), Value(1));
  EXPECT_EQ(read(from_hex("d3ffffffffffffffff")), Value(-1));
  EXPECT_EQ(read(from_hex("d001")), Value(1));
  EXPECT_EQ(read(from_hex("ca3fc00000")), Value(1.5));
}

TEST(MsgpackCodec, KeepsNanAndInfinity) {
  const double infinity = std::numeric_limits<double>::infinity();

  EXPECT_TRUE(std::isnan(read(encoded("msgpack", Value(std::nan("")))).as_double()));
  EXPECT_EQ(read(encoded("msgpack", Value(-infinity))), Value(-infinity));
}

TEST(MsgpackCodec, WritesLengthsInTheirShortestForm) {
  const std::pair<std::size_t, std::pair<const char*, const char*>> cases[] = {{0, {"a0", "c400"}},
                                                                               {31, {"bf", "c41f"}},
                                                                               {32, {"d920", "c420"}},
                                                                               {255, {"d9ff", "c4ff"}},
                                                                               {256, {"da0100", "c50100"}},
                                                                               {65535, {"daffff", "c5ffff"}},
                                                                               {65536, {"db00010000", "c600010000"}}};
  for (const auto& [size, headers] : cases) {
    const Value text = std::string(size, 'x');
    const Value bytes = Value::bytes(as_bytes(text.as_string()));
    EXPECT_TRUE(hex(encoded("msgpack", text)).starts_with(headers.first)) << size;
    EXPECT_TRUE(hex(encoded("msgpack", bytes)).starts_with(headers.second)) << size;
    EXPECT_EQ(read(encoded("msgpack", text)), text);
    EXPECT_EQ(read(encoded("msgpack", bytes)), bytes);
  }
}

TEST(MsgpackCodec, WritesCountsInTheirShortestForm) {
  const std::pair<std::size_t, std::pair<const char*, const char*>> cases[] = {
      {0, {"90", "80"}}, {15, {"9f", "8f"}}, {16, {"dc0010", "de0010"}}, {65536, {"dd00010000", "df00010000"}}};
  for (const auto& [count, headers] : cases) {
    const Value array = Value::Array(count, Value(1));
    Value::Object members;
    for (std::size_t i = 0; i < count; ++i) members.emplace_back(std::to_string(i), Value());
    const Value object = std::move(members);
    EXPECT_TRUE(hex(encoded("msgpack", array)).starts_with(headers.first)) << count;
    EXPECT_TRUE(hex(encoded("msgpack", object)).starts_with(headers.second)) << count;
    EXPECT_EQ(read(encoded("msgpack", array)), array);
    EXPECT_EQ(read(encoded("msgpack", object)), object);
  }
}

TEST(MsgpackCodec, RefusesToWriteBadTextAndDeepNesting) {
  Value deep = 1;
  for (int i = 0; i < 65; ++i) deep = Value::array({deep});

  EXPECT_EQ(encoded("msgpack", Value::array({"\xFF"})),
            "! internal: encode msgpack: at /0: string is not utf-8; use bytes");
  EXPECT_TRUE(encoded("msgpack", deep).ends_with("nesting exceeds 64 levels"));
  EXPECT_EQ(read(encoded("msgpack", deep.at(0))), deep.at(0));
}

TEST(MsgpackCodec, TakesNoMemoryForAnnouncedElements) {
  EXPECT_EQ(read(from_hex("ddffffffff")),
            Value("! invalid_argument: decode msgpack: byte 5 of 5: 4294967295 elements announced, 0 bytes left"));
  EXPECT_EQ(read(from_hex("dfffffffff")),
            Value("! invalid_argument: decode msgpack: byte 5 of 5: 4294967295 elements announced, 0 bytes left"));
  EXPECT_EQ(read(from_hex("92c0")),
            Value("! invalid_argument: decode msgpack: byte 1 of 2: 2 elements announced, 1 bytes left"));
  EXPECT_EQ(read(from_hex("dbffffffff61")), Value("! invalid_argument: decode msgpack: byte 6 of 6: syntax error"));
  EXPECT_EQ(read(from_hex("c6ffffffff61")), Value("! invalid_argument: decode msgpack: byte 6 of 6: syntax error"));
}

TEST(MsgpackCodec, StopsAtABombOfArrays) {
  const std::string bomb(1 << 20, '\x91');

  EXPECT_EQ(read(bomb), Value("! invalid_argument: decode msgpack: byte 65 of 1048576: nesting exceeds 64 levels"));
}

TEST(MsgpackCodec, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "byte 0 of 0: empty payload"},
      {"c1", "byte 1 of 1: syntax error"},
      {"0101", "byte 2 of 2: syntax error"},
      {"8101c0", "byte 2 of 3: syntax error"},
      {"82a161c0a161c0", "byte 7 of 7: object has a repeated name"},
      {"a1ff", "byte 2 of 2: string is not utf-8"},
      {"81a1ffc0", "byte 3 of 4: name is not utf-8"},
      {"d40561", "byte 3 of 3: extension types are not supported"},
      {"d6ff00000000", "byte 6 of 6: extension types are not supported"},
      {"c70105ff", "byte 4 of 4: extension types are not supported"},
  };
  for (const auto& [payload, error] : cases) {
    EXPECT_EQ(read(from_hex(payload)), Value(std::string("! invalid_argument: decode msgpack: ") + error)) << payload;
  }
}

TEST(MsgpackCodec, RefusesEveryTruncation) {
  const std::string whole = encoded("msgpack", Value::object({{"a", Value::array({1, 300, -70000, 2.5, "text", true})},
                                                              {"b", Value::bytes(as_bytes("xyz"))}}));
  ASSERT_TRUE(read(whole).is_object());

  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(read(whole.substr(0, size)).is_string()) << size;
  }
}

}  // namespace
}  // namespace trunkline::test
