// SPDX-License-Identifier: MIT
// What is compressed without its size: round trips, limits, damage, and what other encoders write.
#include "compressing.h"

#include <compression/crc32c.h>

#include <string>
#include <vector>

namespace trunkline::test {
namespace {

std::vector<std::string> unsized_names() {
  std::vector<std::string> names;
  for (const auto& each : compressors().compressors()) {
    if (each->has_unsized_form()) names.emplace_back(each->name());
  }
  return names;
}

/// The content, or "! " and the status.
std::string decompressed_unsized(const Compressor& compressor, std::string_view input, std::size_t limit) {
  BufferWriter out;
  const Status status = compressor.decompress_unsized(as_bytes(input), limit, out);
  return status.is_ok() ? std::string(as_text(out.bytes())) : "! " + status.to_string();
}

std::string compressed_unsized(const Compressor& compressor, std::string_view content) {
  BufferWriter out;
  const Status status = compressor.compress_unsized(as_bytes(content), out);
  EXPECT_TRUE(status.is_ok()) << status.to_string();
  return std::string(as_text(out.bytes()));
}

class UnsizedForm : public EveryCompressor {};

TEST_P(UnsizedForm, IsReadBackWithinItsSize) {
  for (const std::size_t size : {0, 1, 100, 65535, 65536, 65537, 300'000}) {
    for (const std::string& content : {std::string(size, 'x'), prose(size), noise(size, size)}) {
      const std::string input = compressed_unsized(compressor(), content);

      EXPECT_TRUE(decompressed_unsized(compressor(), input, size) == content) << size;
      EXPECT_TRUE(decompressed_unsized(compressor(), input, size + 1'000'000) == content) << size;
    }
  }
}

TEST_P(UnsizedForm, StopsAtTheLimit) {
  const std::string content(3'000'000, 'x');
  const std::string input = compressed_unsized(compressor(), content);

  for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{70'000}, content.size() - 1}) {
    BufferWriter out;
    const Status status = compressor().decompress_unsized(as_bytes(input), limit, out);

    EXPECT_EQ(status.code(), StatusCode::resource_exhausted) << limit;
    EXPECT_LE(out.size(), limit);
    // Room is made for what may follow, but not for what is beyond the limit.
    EXPECT_LE(out.prepare(0).size() + out.size(), 2 * limit + (256 << 10)) << limit;
  }
}

TEST_P(UnsizedForm, RefusesWhatIsCutOff) {
  const std::string content = prose(20'000);
  const std::string input = compressed_unsized(compressor(), content);

  for (std::size_t size = 1; size < input.size(); ++size) {
    const std::string result = decompressed_unsized(compressor(), std::string_view(input).substr(0, size), 1 << 20);
    // Snappy's frames and zstd's are whole by themselves.
    const bool is_refused = result.starts_with("! invalid_argument") || content.starts_with(result);
    ASSERT_TRUE(is_refused) << size << ": " << result.substr(0, 80);
  }
}

TEST_P(UnsizedForm, RefusesWhatFollowsTheEnd) {
  const std::string input = compressed_unsized(compressor(), "content");

  // The last bytes of each would be the size of a gzip member, and a large one.
  for (const std::string& junk : {std::string("more"), std::string(1, '\xFF'), std::string(8, '\xFF'), noise(100, 3)}) {
    const std::string result = decompressed_unsized(compressor(), input + junk, 1000);
    EXPECT_TRUE(result.starts_with("! invalid_argument")) << junk.size() << ": " << result;
  }
}

TEST_P(UnsizedForm, SurvivesDamage) {
  const std::string content = prose(1000);
  const std::string input = compressed_unsized(compressor(), content);

  for (std::size_t at = 0; at < input.size(); ++at) {
    std::string damaged = input;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    // It may by chance still be the content, in a field that means nothing.
    const bool has_no_checksum = GetParam() == "zstd" || GetParam() == "br";
    const std::string result = decompressed_unsized(compressor(), damaged, 100'000);
    EXPECT_TRUE(result == content || result.starts_with("! ") || has_no_checksum) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, UnsizedForm, testing::ValuesIn(unsized_names()),
                         [](const auto& each) { return each.param; });

TEST(UnsizedForm, OfZstdMayHaveSeveralFrames) {
  const Compressor* const zstd = compressors().find("zstd");
  if (zstd == nullptr) GTEST_SKIP() << "zstd is not built in";
  const std::string input = compressed_unsized(*zstd, "one ") + compressed_unsized(*zstd, "two");

  EXPECT_EQ(decompressed_unsized(*zstd, input, 7), "one two");
  EXPECT_EQ(decompressed_unsized(*zstd, "", 7), "");
  EXPECT_TRUE(decompressed_unsized(*zstd, input, 6).starts_with("! resource_exhausted"));
}

TEST(UnsizedForm, OfGzipHasTheSizeAtItsEnd) {
  const Compressor* const gzip = compressors().find("gzip");
  if (gzip == nullptr) GTEST_SKIP() << "gzip is not built in";
  std::string input = compressed_unsized(*gzip, std::string(1 << 20, 'x'));
  EXPECT_TRUE(decompressed_unsized(*gzip, input, 1000).starts_with("! resource_exhausted"));
  input.replace(input.size() - 4, 4, std::string("\x64\0\0\0", 4));

  BufferWriter out;
  EXPECT_EQ(gzip->decompress_unsized(as_bytes(input), 1 << 20, out).code(), StatusCode::invalid_argument);
  EXPECT_LE(out.size(), 1u << 20);
}

TEST(UnsizedForm, OfGzipIsNotReadFromWhatIsNoGzip) {
  const Compressor* const gzip = compressors().find("gzip");
  if (gzip == nullptr) GTEST_SKIP() << "gzip is not built in";
  for (const std::string input : {"xxxx", "\x1F\x8Bxxxxxxxxxxxxxxx", "a text whose last bytes would be a large size"}) {
    EXPECT_TRUE(decompressed_unsized(*gzip, input, 1000).starts_with("! invalid_argument")) << input;
  }
}

TEST(UnsizedForm, OfZstdMayLackTheSize) {
  const Compressor* const zstd = compressors().find("zstd");
  if (zstd == nullptr) GTEST_SKIP() << "zstd is not built in";
  // No size and no checksum; a last block that repeats 'x' 1024 times.
  const std::string frame("\x28\xB5\x2F\xFD\x00\x58\x03\x20\x00x", 10);

  EXPECT_EQ(decompressed_unsized(*zstd, frame, 1024), std::string(1024, 'x'));
  EXPECT_TRUE(decompressed_unsized(*zstd, frame, 1023).starts_with("! resource_exhausted"));
}

TEST(UnsizedForm, OfSnappyIsItsFramingFormat) {
  const Compressor& snappy = *compressors().find("snappy");
  const std::string start("\xFF\x06\x00\x00sNaPpY", 10);
  // The checksum of "123456789" is 0xE3069283, which is masked.
  const std::string raw(
      "\x01\x0D\x00\x00\xE5\xB0\x8A\xC7"
      "123456789",
      17);
  const std::string padding("\xFE\x02\x00\x00\x00\x00", 6);

  EXPECT_EQ(compressed_unsized(snappy, "123456789"), start + raw);
  EXPECT_EQ(decompressed_unsized(snappy, "", 0), "");
  EXPECT_EQ(decompressed_unsized(snappy, start + raw + padding + start + raw, 18), "123456789123456789");
  EXPECT_TRUE(decompressed_unsized(snappy, raw, 9).starts_with("! invalid_argument"));
  EXPECT_TRUE(decompressed_unsized(snappy, start + std::string("\x02\x00\x00\x00", 4), 9).starts_with("! invalid"));
  std::string wrong = raw;
  wrong[4] ^= 1;
  EXPECT_TRUE(decompressed_unsized(snappy, start + wrong, 9).starts_with("! invalid_argument"));
}

TEST(UnsizedForm, IsMissingWhereACompressorNeedsTheSize) {
  const Compressor* const lz4 = compressors().find("lz4");
  if (lz4 == nullptr) GTEST_SKIP() << "lz4 is not built in";

  EXPECT_FALSE(lz4->has_unsized_form());
  EXPECT_TRUE(decompressed_unsized(*lz4, "x", 9).starts_with("! unimplemented"));
}

TEST(Crc32c, IsThatOfRfc3720) {
  EXPECT_EQ(compression::crc32c(as_bytes("123456789")), 0xE3069283u);
  EXPECT_EQ(compression::crc32c(as_bytes(std::string(32, '\0'))), 0x8A9136AAu);
  EXPECT_EQ(compression::crc32c(as_bytes(std::string(32, '\xFF'))), 0x62A8AB43u);
  EXPECT_EQ(compression::crc32c({}), 0u);
}

}  // namespace
}  // namespace trunkline::test
