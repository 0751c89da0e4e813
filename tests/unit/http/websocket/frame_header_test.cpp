// SPDX-License-Identifier: MIT
// FrameHeader: what FrameReader reads, in the shortest form.
#include "http/websocket/frame_header.h"

#include "unit/http/hex.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace trunkline::http::websocket {
namespace {

std::string written(const FrameHeader& header) {
  std::array<std::byte, max_frame_header_bytes> out;
  const std::size_t size = header.write(out.data());
  EXPECT_EQ(size, header.size());
  return to_hex(ByteSpan(out).first(size));
}

TEST(WebSocketFrameHeader, HasTheShortestFormOfItsLength) {
  EXPECT_EQ(written({.length = 0}), "8200");
  EXPECT_EQ(written({.length = 125}), "827d");
  EXPECT_EQ(written({.length = 126}), "827e007e");
  EXPECT_EQ(written({.length = 65535}), "827effff");
  EXPECT_EQ(written({.length = 65536}), "827f0000000000010000");
  EXPECT_EQ(written({.length = 0x0123456789abcdef}), "827f0123456789abcdef");
}

TEST(WebSocketFrameHeader, HasTheMaskOfAClient) {
  const auto key = from_hex("37fa213d");

  EXPECT_EQ(written({.length = 5, .is_masked = true, .mask = Mask(key.data())}), "828537fa213d");
  EXPECT_EQ(written({.opcode = Opcode::close, .length = 2, .is_masked = true, .mask = Mask(key.data())}),
            "888237fa213d");
}

TEST(WebSocketFrameHeader, NamesItsOpcode) {
  EXPECT_EQ(written({.opcode = Opcode::ping, .length = 1}), "8901");
  EXPECT_EQ(written({.opcode = Opcode::pong, .length = 1}), "8a01");
  EXPECT_EQ(written({.opcode = Opcode::close, .length = 0}), "8800");
}

}  // namespace
}  // namespace trunkline::http::websocket
