// SPDX-License-Identifier: MIT
// ZstdCompressor with input that other encoders write, and with input that only resembles its format.
#include <unit/compression/compressing.h>

namespace trunkline::test {
namespace {

TEST(ZstdCompressor, ReadsAFrameWithoutContentSize) {
  // Magic; descriptor 0 (no content size); window 1 KiB; last raw block of 2 bytes.
  EXPECT_EQ(decompressed("zstd",
                         {"\x28\xB5\x2F\xFD\x00\x00\x11\x00\x00"
                          "ab",
                          11},
                         2),
            "ab");
}

TEST(ZstdCompressor, ReadsAFrameOfOneRepeatedByte) {
  // As above; last block repeats 'a' 5 times.
  EXPECT_EQ(decompressed("zstd",
                         {"\x28\xB5\x2F\xFD\x00\x00\x2B\x00\x00"
                          "a",
                          10},
                         5),
            "aaaaa");
}

TEST(ZstdCompressor, RefusesSkippableFrames) {
  const std::string_view skippable("\x50\x2A\x4D\x18\x02\x00\x00\x00xx", 10);

  EXPECT_TRUE(decompressed("zstd", skippable, 0).starts_with("! "));
}

TEST(ZstdCompressor, RefusesAFrameThatNeedsADictionary) {
  // As above with a one-byte dictionary id, 7.
  EXPECT_TRUE(decompressed("zstd",
                           {"\x28\xB5\x2F\xFD\x01\x00\x07\x11\x00\x00"
                            "ab",
                            12},
                           2)
                  .starts_with("! "));
}

TEST(ZstdCompressor, TakesNoMemoryForALargeWindow) {
  // Window of 2 TiB, one block.
  EXPECT_TRUE(decompressed("zstd",
                           {"\x28\xB5\x2F\xFD\x00\xF8\x11\x00\x00"
                            "ab",
                            11},
                           2)
                  .starts_with("! "));
}

}  // namespace
}  // namespace trunkline::test
