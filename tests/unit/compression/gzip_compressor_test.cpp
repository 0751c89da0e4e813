// SPDX-License-Identifier: MIT
// GzipCompressor with input that other encoders write, and with input that only resembles its format.
#include <unit/compression/compressing.h>

namespace trunkline::test {
namespace {

TEST(GzipCompressor, ReadsAMemberWithNameAndComment) {
  // Flags name and comment; a stored block "hi"; crc and size.
  const std::string_view member(
      "\x1F\x8B\x08\x18\x00\x00\x00\x00\x00\xFF"
      "n\0c\0"
      "\x01\x02\x00\xFD\xFF"
      "hi"
      "\xAC\x2A\x93\xD8\x02\x00\x00\x00",
      29);

  EXPECT_EQ(decompressed("gzip", member, 2), "hi");
}

TEST(GzipCompressor, RefusesAWrongChecksumAndAWrongSize) {
  const std::string good(
      "\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\xFF"
      "\x01\x02\x00\xFD\xFF"
      "hi"
      "\xAC\x2A\x93\xD8\x02\x00\x00\x00",
      25);
  ASSERT_EQ(decompressed("gzip", good, 2), "hi");

  for (std::size_t at = 17; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_TRUE(decompressed("gzip", damaged, 2).starts_with("! ")) << at;
  }
}

TEST(GzipCompressor, RefusesZlibAndRawDeflate) {
  EXPECT_TRUE(decompressed("gzip", {"\x78\x01\x01\x02\x00\xFD\xFFhi\x01\x3B\x00\xD2", 13}, 2).starts_with("! "));
  EXPECT_TRUE(decompressed("gzip", {"\x01\x02\x00\xFD\xFFhi", 7}, 2).starts_with("! "));
}

}  // namespace
}  // namespace trunkline::test
