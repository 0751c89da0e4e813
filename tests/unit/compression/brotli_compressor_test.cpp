// SPDX-License-Identifier: MIT
// BrotliCompressor with streams as RFC 7932 has them, and with those of other formats.
#include <unit/compression/compressing.h>

namespace trunkline::test {
namespace {

TEST(BrotliCompressor, ReadsABlockThatIsNotCompressed) {
  // A window of 64 KiB; two bytes as they are; an empty last block.
  EXPECT_EQ(decompressed("br", {"\x10\x00\x10hi\x03", 6}, 2), "hi");
}

TEST(BrotliCompressor, ReadsAStreamWithoutContent) {
  EXPECT_EQ(decompressed("br", "\x06", 0), "");
  EXPECT_EQ(decompressed("br", "\x3B", 0), "");
}

TEST(BrotliCompressor, RefusesWindowsThatTheRfcDoesNotHave) {
  // As "large window" streams begin, here with one of 1 GiB.
  EXPECT_TRUE(decompressed("br", {"\x11\x1E\x03", 3}, 0).starts_with("! "));
}

TEST(BrotliCompressor, RefusesWhatFollowsTheEndAndWhatIsCutOff) {
  EXPECT_TRUE(decompressed("br", {"\x10\x00\x10hi\x03x", 7}, 2).starts_with("! "));
  EXPECT_TRUE(decompressed("br", {"\x10\x00\x10hi", 5}, 2).starts_with("! "));
}

}  // namespace
}  // namespace trunkline::test
