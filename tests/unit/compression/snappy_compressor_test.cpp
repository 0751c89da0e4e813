// SPDX-License-Identifier: MIT
// SnappyCompressor with input that other encoders write, and with input that only resembles its format.
#include <unit/compression/compressing.h>

namespace trunkline::test {
namespace {

TEST(SnappyCompressor, ReadsAHandWrittenBlock) {
  // Length 10; literal "ab"; copy of 8 bytes from 2 back.
  EXPECT_EQ(decompressed("snappy",
                         {"\x0A\x04"
                          "ab\x11\x02",
                          6},
                         10),
            "ababababab");
}

TEST(SnappyCompressor, RefusesCopiesFromBeforeTheStart) {
  EXPECT_EQ(decompressed("snappy",
                         {"\x0A\x04"
                          "ab\x11\x03",
                          6},
                         10),
            "! invalid_argument: decompress snappy: 6 bytes do not decompress to 10");
}

TEST(SnappyCompressor, RefusesAnUnendingLength) {
  EXPECT_TRUE(decompressed("snappy", "\xFF\xFF\xFF\xFF\xFF\xFF", 10).starts_with("! "));
}

}  // namespace
}  // namespace trunkline::test
