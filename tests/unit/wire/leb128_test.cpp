// SPDX-License-Identifier: MIT
// LEB128: sizes, limits, truncation.
#include "wire/leb128.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace trunkline::wire {
namespace {

std::vector<std::byte> written(std::uint64_t value) {
  std::vector<std::byte> bytes(10);
  bytes.resize(write_leb128(value, bytes.data()));
  return bytes;
}

TEST(Leb128, WritesTheShortestForm) {
  EXPECT_EQ(written(0), std::vector<std::byte>{std::byte{0}});
  EXPECT_EQ(written(127), std::vector<std::byte>{std::byte{127}});
  EXPECT_EQ(written(128), (std::vector<std::byte>{std::byte{0x80}, std::byte{1}}));
  EXPECT_EQ(written(300), (std::vector<std::byte>{std::byte{0xAC}, std::byte{2}}));
  EXPECT_EQ(written(~std::uint64_t{0}).size(), 10U);
}

TEST(Leb128, ReadsBackEveryEdgeOfItsSizes) {
  for (std::size_t bytes = 1; bytes <= 9; ++bytes) {
    for (std::uint64_t value : {leb128_limit(bytes) - 1, leb128_limit(bytes)}) {
      const std::vector<std::byte> encoded = written(value);
      std::uint64_t decoded = 0;

      const std::size_t taken = read_leb128(encoded, bytes, decoded);

      EXPECT_EQ(encoded.size(), bytes);
      EXPECT_EQ(leb128_size(value), bytes);
      EXPECT_EQ(taken, bytes);
      EXPECT_EQ(decoded, value);
    }
  }
}

TEST(Leb128, RefusesOneByteMoreThanAllowed) {
  for (std::size_t longest = 1; longest <= 8; ++longest) {
    std::uint64_t value = 7;

    EXPECT_EQ(read_leb128(written(leb128_limit(longest) + 1), longest, value), 0U);
    EXPECT_EQ(value, 7U);
  }
}

TEST(Leb128, RefusesEveryTruncation) {
  const std::vector<std::byte> encoded = written(leb128_limit(5));
  for (std::size_t size = 0; size < encoded.size(); ++size) {
    std::uint64_t value = 0;

    EXPECT_EQ(read_leb128(ByteSpan(encoded).first(size), message_size_bytes, value), 0U);
  }
}

TEST(Leb128, ReadsFormsLongerThanNeeded) {
  const std::array<std::byte, 4> padded{std::byte{0x85}, std::byte{0x80}, std::byte{0x80}, std::byte{0x00}};
  std::uint64_t value = 0;

  EXPECT_EQ(read_leb128(padded, field_size_bytes, value), 4U);
  EXPECT_EQ(value, 5U);
}

TEST(Leb128, LeavesWhatFollowsAlone) {
  const std::array<std::byte, 3> bytes{std::byte{0x81}, std::byte{0x01}, std::byte{0xFF}};
  std::uint64_t value = 0;

  EXPECT_EQ(read_leb128(bytes, message_size_bytes, value), 2U);
  EXPECT_EQ(value, 129U);
}

}  // namespace
}  // namespace trunkline::wire
