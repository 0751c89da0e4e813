// SPDX-License-Identifier: MIT
// Mask: any size, any phase of the key, and bytes that move to the front.
#include "http/websocket/mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::http::websocket {
namespace {

std::vector<std::byte> numbered(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 31 + 7);
  return bytes;
}

Mask mask_of(std::string_view key) { return Mask(reinterpret_cast<const std::byte*>(key.data())); }

/// Byte by byte, as section 5.3 of RFC 6455 says.
std::vector<std::byte> expected(const std::vector<std::byte>& bytes, std::string_view key, std::size_t phase) {
  std::vector<std::byte> out = bytes;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] ^= static_cast<std::byte>(key[(i + phase) % 4]);
  return out;
}

TEST(WebSocketMask, CombinesEachByteWithItsByteOfTheKey) {
  constexpr std::string_view key = "\x01\x80\xff\x37";
  for (std::size_t size = 0; size < 200; ++size) {
    const std::vector<std::byte> bytes = numbered(size);
    for (std::size_t phase = 0; phase < 4; ++phase) {
      std::vector<std::byte> out(size);

      mask_of(key).after(phase).apply(out.data(), bytes.data(), size);

      EXPECT_EQ(out, expected(bytes, key, phase)) << size << ", " << phase;
    }
  }
}

TEST(WebSocketMask, MovesBytesToTheFront) {
  constexpr std::string_view key = "abcd";
  for (const std::size_t distance : {0U, 1U, 2U, 3U, 6U, 8U, 14U, 31U, 33U}) {
    const std::vector<std::byte> bytes = numbered(500);
    std::vector<std::byte> memory(distance);
    memory.insert(memory.end(), bytes.begin(), bytes.end());

    mask_of(key).apply(memory.data(), memory.data() + distance, bytes.size());

    memory.resize(bytes.size());
    EXPECT_EQ(memory, expected(bytes, key, 0)) << distance;
  }
}

TEST(WebSocketMask, LeavesBytesAsTheyAreWithoutAKey) {
  const std::vector<std::byte> bytes = numbered(100);
  std::vector<std::byte> memory(2);
  memory.insert(memory.end(), bytes.begin(), bytes.end());

  Mask().apply(memory.data(), memory.data() + 2, bytes.size());

  memory.resize(bytes.size());
  EXPECT_EQ(memory, bytes);
}

TEST(WebSocketMask, GoesOnAfterAnyNumberOfBytes) {
  const Mask mask = mask_of("wxyz");

  EXPECT_EQ(mask.after(1), mask_of("xyzw"));
  EXPECT_EQ(mask.after(4), mask);
  EXPECT_EQ(mask.after(2).after(3), mask_of("xyzw"));
}

TEST(WebSocketMask, WritesItsKeyAsItWasRead) {
  std::byte key[Mask::key_bytes];

  mask_of("wxyz").write_key(key);

  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(key), sizeof(key)), "wxyz");
}

}  // namespace
}  // namespace trunkline::http::websocket
