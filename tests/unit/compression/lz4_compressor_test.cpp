// SPDX-License-Identifier: MIT
// Lz4Compressor with input that other encoders write, and with input that only resembles its format.
#include <unit/compression/compressing.h>

namespace trunkline::test {
namespace {

TEST(Lz4Compressor, ReadsAHandWrittenBlock) {
  // 2 literals "ab", match of 4 + 4 bytes from 2 back, then 5 last literals.
  EXPECT_EQ(decompressed("lz4",
                         {"\x24"
                          "ab\x02\x00\x50"
                          "cdefg",
                          11},
                         15),
            "ababababab"
            "cdefg");
}

TEST(Lz4Compressor, RefusesAMatchFromBeforeTheStart) {
  EXPECT_TRUE(decompressed("lz4",
                           {"\x24"
                            "ab\x03\x00\x50"
                            "cdefg",
                            11},
                           15)
                  .starts_with("! "));
}

TEST(Lz4Compressor, RefusesAFrameInsteadOfABlock) {
  EXPECT_TRUE(decompressed("lz4", {"\x04\x22\x4D\x18\x60\x40\x82\x00\x00\x00\x00", 11}, 0).starts_with("! "));
}

}  // namespace
}  // namespace trunkline::test
