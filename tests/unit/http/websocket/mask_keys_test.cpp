// SPDX-License-Identifier: MIT
// MaskKeys: each key is a new one.
#include "http/websocket/mask_keys.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace trunkline::http::websocket {
namespace {

TEST(WebSocketMaskKeys, DrawsDifferentKeysBeyondItsPool) {
  MaskKeys keys;
  std::set<std::array<std::byte, 8>> drawn;

  for (int i = 0; i < 1000; ++i) {
    std::array<std::byte, 8> key{};
    keys.draw(key);
    drawn.insert(key);
  }

  EXPECT_EQ(drawn.size(), 1000U);
}

}  // namespace
}  // namespace trunkline::http::websocket
