// SPDX-License-Identifier: MIT
// DeflateCompressor with input that other encoders write, and with input that only resembles its format.
#include <unit/compression/compressing.h>

namespace trunkline::test {
namespace {

TEST(DeflateCompressor, ReadsZlibAndRefusesGzipAndRawDeflate) {
  EXPECT_EQ(decompressed("deflate", {"\x78\x01\x01\x02\x00\xFD\xFFhi\x01\x3B\x00\xD2", 13}, 2), "hi");
  EXPECT_TRUE(decompressed("deflate", {"\x01\x02\x00\xFD\xFFhi", 7}, 2).starts_with("! "));
  EXPECT_TRUE(decompressed("deflate",
                           {"\x1F\x8B\x08\x00\x00\x00\x00\x00\x00\xFF"
                            "\x01\x02\x00\xFD\xFFhi\xAC\x2A\x93\xD8\x02\x00\x00\x00",
                            25},
                           2)
                  .starts_with("! "));
}

TEST(DeflateCompressor, RefusesAWrongChecksum) {
  EXPECT_TRUE(decompressed("deflate", {"\x78\x01\x01\x02\x00\xFD\xFFhi\x01\x3B\x00\xD3", 13}, 2).starts_with("! "));
}

}  // namespace
}  // namespace trunkline::test
