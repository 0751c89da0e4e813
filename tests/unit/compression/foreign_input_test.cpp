// SPDX-License-Identifier: MIT
// Input that the built-in compressors would not write themselves: other writers' forms, and what looks like theirs.
#include <unit/compression/compressing.h>

namespace trunkline::test {
namespace {

std::string decompressed(std::string_view name, std::string_view input, std::size_t size) {
  std::string content;
  const Status status = decompress(*compressors().find(name), input, size, content);
  return status.is_ok() ? content : "! " + status.to_string();
}

TEST(Snappy, ReadsAHandWrittenBlock) {
  // Length 10; literal "ab"; copy of 8 bytes from 2 back.
  EXPECT_EQ(decompressed("snappy",
                         {"\x0A\x04"
                          "ab\x11\x02",
                          6},
                         10),
            "ababababab");
}

TEST(Snappy, RefusesCopiesFromBeforeTheStart) {
  EXPECT_EQ(decompressed("snappy",
                         {"\x0A\x04"
                          "ab\x11\x03",
                          6},
                         10),
            "! invalid_argument: decompress snappy: 6 bytes do not decompress to 10");
}

TEST(Snappy, RefusesAnUnendingLength) {
  EXPECT_TRUE(decompressed("snappy", "\xFF\xFF\xFF\xFF\xFF\xFF", 10).starts_with("! "));
}

#ifdef TRUNKLINE_HAS_ZSTD
TEST(Zstd, ReadsAFrameWithoutContentSize) {
  // Magic; descriptor 0 (no content size); window 1 KiB; last raw block of 2 bytes.
  EXPECT_EQ(decompressed("zstd",
                         {"\x28\xB5\x2F\xFD\x00\x00\x11\x00\x00"
                          "ab",
                          11},
                         2),
            "ab");
}

TEST(Zstd, ReadsAFrameOfOneRepeatedByte) {
  // As above; last block repeats 'a' 5 times.
  EXPECT_EQ(decompressed("zstd",
                         {"\x28\xB5\x2F\xFD\x00\x00\x2B\x00\x00"
                          "a",
                          10},
                         5),
            "aaaaa");
}

TEST(Zstd, RefusesSkippableFrames) {
  const std::string_view skippable("\x50\x2A\x4D\x18\x02\x00\x00\x00xx", 10);

  EXPECT_TRUE(decompressed("zstd", skippable, 0).starts_with("! "));
}

TEST(Zstd, RefusesAFrameThatNeedsADictionary) {
  // As above with a one-byte dictionary id, 7.
  EXPECT_TRUE(decompressed("zstd",
                           {"\x28\xB5\x2F\xFD\x01\x00\x07\x11\x00\x00"
                            "ab",
                            12},
                           2)
                  .starts_with("! "));
}

TEST(Zstd, TakesNoMemoryForALargeWindow) {
  // Window of 2 TiB, one block.
  EXPECT_TRUE(decompressed("zstd",
                           {"\x28\xB5\x2F\xFD\x00\xF8\x11\x00\x00"
                            "ab",
                            11},
                           2)
                  .starts_with("! "));
}
#endif

#ifdef TRUNKLINE_HAS_LZ4
TEST(Lz4, ReadsAHandWrittenBlock) {
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

TEST(Lz4, RefusesAMatchFromBeforeTheStart) {
  EXPECT_TRUE(decompressed("lz4",
                           {"\x24"
                            "ab\x03\x00\x50"
                            "cdefg",
                            11},
                           15)
                  .starts_with("! "));
}

TEST(Lz4, RefusesAFrameInsteadOfABlock) {
  EXPECT_TRUE(decompressed("lz4", {"\x04\x22\x4D\x18\x60\x40\x82\x00\x00\x00\x00", 11}, 0).starts_with("! "));
}
#endif

#ifdef TRUNKLINE_HAS_GZIP
TEST(Gzip, ReadsAMemberWithNameAndComment) {
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

TEST(Gzip, RefusesAWrongChecksumAndAWrongSize) {
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

TEST(Gzip, RefusesZlibAndRawDeflate) {
  EXPECT_TRUE(decompressed("gzip", {"\x78\x01\x01\x02\x00\xFD\xFFhi\x01\x3B\x00\xD2", 13}, 2).starts_with("! "));
  EXPECT_TRUE(decompressed("gzip", {"\x01\x02\x00\xFD\xFFhi", 7}, 2).starts_with("! "));
}
#endif

}  // namespace
}  // namespace trunkline::test
