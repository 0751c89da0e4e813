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

/// Of content that is given.
std::string member(std::string_view content) {
  BufferWriter out;
  EXPECT_TRUE(compressors().find("gzip")->compress(as_bytes(content), out).is_ok());
  return std::string(as_text(out.bytes()));
}

/// What the unsized form decompresses to, or "! " and the status.
std::string unsized(std::string_view input, std::size_t limit = 1 << 20) {
  BufferWriter out;
  const Status status = compressors().find("gzip")->decompress_unsized(as_bytes(input), limit, out);
  return status.is_ok() ? std::string(as_text(out.bytes())) : "! " + status.to_string();
}

/// What the form with a size decompresses to, in memory that grows.
std::string appended(std::string_view input, std::size_t size) {
  BufferWriter out;
  const Status status = compressors().find("gzip")->append_decompressed(as_bytes(input), size, out);
  return status.is_ok() ? std::string(as_text(out.bytes())) : "! " + status.to_string();
}

TEST(GzipCompressor, ReadsAllMembers) {
  const std::string large = prose(300'000);
  const std::vector<std::vector<std::string>> cases{{"a", "b"},   {"", "b"},    {"a", ""},         {"", "", ""},
                                                    {large, "b"}, {"a", large}, {large, large, ""}};
  for (const auto& contents : cases) {
    std::string input;
    std::string all;
    for (const std::string& content : contents) input += member(content), all += content;

    EXPECT_EQ(unsized(input), all);
    EXPECT_EQ(appended(input, all.size()), all);
    EXPECT_EQ(decompressed("gzip", input, all.size()), all);
  }
}

TEST(GzipCompressor, ReadsAsManyMembersAsItIsGiven) {
  std::string input;
  std::string all;
  for (int i = 0; i < 10'000; ++i) input += member(i % 3 == 0 ? "" : "xy"), all += i % 3 == 0 ? "" : "xy";

  EXPECT_EQ(unsized(input), all);
}

TEST(GzipCompressor, CountsAllMembersAgainstTheLimit) {
  std::string input;
  for (int i = 0; i < 10; ++i) input += member(std::string(1000, 'x'));

  EXPECT_EQ(unsized(input, 10'000), std::string(10'000, 'x'));
  EXPECT_EQ(unsized(input, 9'999),
            "! resource_exhausted: decompress gzip: " + std::to_string(input.size()) + " bytes make more than 9999");
  EXPECT_TRUE(appended(input, 9'999).starts_with("! invalid_argument"));
  EXPECT_TRUE(appended(input, 10'001).starts_with("! invalid_argument"));
}

/// A bomb costs no memory.
TEST(GzipCompressor, RefusesASizeOverTheLimitWithoutMemory) {
  const std::string input = member(std::string(1 << 20, 'x'));
  const std::size_t limit = (1 << 20) - 1;
  BufferWriter out;

  const Status status = compressors().find("gzip")->decompress_unsized(as_bytes(input), limit, out);

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(out.size(), 0u);
}

TEST(GzipCompressor, WhatIsCutOffOrFollowedByOtherBytesIsCorrupt) {
  for (const std::string& good : {member("content"), member("a") + member(prose(3000))}) {
    for (std::size_t size = 0; size < good.size(); ++size) {
      const std::string cut = good.substr(0, size);
      if (unsized(cut) == "a") continue;  // the first member is whole
      EXPECT_EQ(unsized(cut), "! invalid_argument: decompress gzip: " + std::to_string(size) + " bytes are corrupt");
    }
    for (const std::string& tail : {std::string("x"), std::string("\x1F\x8B"), std::string(8, '\0'),
                                    std::string("\xFF\xFF\xFF\xFF"), std::string(1000, '\xFF')}) {
      EXPECT_EQ(unsized(good + tail), "! invalid_argument: decompress gzip: " +
                                          std::to_string(good.size() + tail.size()) + " bytes are corrupt");
    }
  }
}

}  // namespace
}  // namespace trunkline::test
