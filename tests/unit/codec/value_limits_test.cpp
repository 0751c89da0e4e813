// SPDX-License-Identifier: MIT
// Tests of CodecLimits: how much a decoded Value may hold, whatever its payload is made of.
#include <trunkline/value.h>

#include <unit/codec/coding.h>

#include <gtest/gtest.h>

#include <stdexcept>

namespace trunkline::test {
namespace {

/// What a codec that takes `most` nodes says of the payload.
template <class T = Value>
std::string decoded(std::string_view codec, std::size_t most, std::string_view payload) {
  const CodecRegistry registry = CodecRegistry::with_defaults({.max_value_nodes = most});
  T message;
  return registry.find(codec)->decode(Slice::copy_of(payload), MutableMessageView::of(message)).to_string();
}

TEST(ValueLimits, CountsEveryNodeOfEveryLevel) {
  const std::string_view json = R"([1,[],{"a":null,"b":[true,"x"]}])";
  const std::string msgpack = std::string("\x93\x01\x90\x82\xa1") + "a\xc0\xa1" + "b\x92\xc3\xa1x";

  EXPECT_EQ(decoded("json", 8, json), "ok");
  EXPECT_EQ(decoded("json", 7, json),
            "resource_exhausted: decode json: byte 29 of 32: 8 nodes exceed max_value_nodes 7");
  EXPECT_EQ(decoded("msgpack", 8, msgpack), "ok");
  EXPECT_EQ(decoded("msgpack", 7, msgpack),
            "resource_exhausted: decode msgpack: byte 10 of 13: 8 nodes exceed max_value_nodes 7");
}

TEST(ValueLimits, CountsALoneScalar) {
  EXPECT_EQ(decoded("json", 1, "1"), "ok");
  EXPECT_EQ(decoded("msgpack", 1, "\x01"), "ok");
  EXPECT_EQ(decoded("json", 1, "[1]"),
            "resource_exhausted: decode json: byte 3 of 3: 2 nodes exceed max_value_nodes 1");
}

TEST(ValueLimits, RefusesAnnouncedNodesBeforeTheFirst) {
  EXPECT_EQ(decoded("msgpack", 4, "\x94\xc0\xc0\xc0\xc0"),
            "resource_exhausted: decode msgpack: byte 1 of 5: 5 nodes exceed max_value_nodes 4");
}

TEST(ValueLimits, BoundTheMemoryOfOneBytePerNodeByDefault) {
  const std::size_t most = CodecLimits().max_value_nodes;
  std::string payload("\xdd\x00\x40\x00\x00", 5);
  payload.append(0x400000, '\xc0');
  Value value;

  const std::string answer = decode_text("msgpack", payload, value);

  EXPECT_EQ(answer,
            "resource_exhausted: decode msgpack: byte 5 of 4194309: 4194305 nodes exceed max_value_nodes 4194304");
  EXPECT_LE(most * sizeof(Value::Member), 5 * (std::size_t{64} << 20));  // five times max_message_bytes's default
}

TEST(ValueLimits, HoldWhereNoMessageIsExpected) {
  EXPECT_EQ(decoded<Empty>("json", 1, "[1]"),
            "resource_exhausted: decode json: byte 3 of 3: 2 nodes exceed max_value_nodes 1");
}

TEST(ValueLimits, MustLeaveRoomForOneNode) {
  EXPECT_THROW(CodecRegistry::with_defaults({.max_value_nodes = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace trunkline::test
