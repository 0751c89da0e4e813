// SPDX-License-Identifier: MIT
// What every compressor does with bad input: it answers invalid_argument and touches nothing else.
#include <unit/compression/compressing.h>

namespace trunkline::test {
namespace {

using CompressorCorruption = EveryCompressor;
INSTANTIATE_TEST_SUITE_P(Default, CompressorCorruption, testing::ValuesIn(compressor_names()),
                         [](const auto& test) { return test.param; });

TEST_P(CompressorCorruption, RefusesEveryTruncation) {
  const std::string content = prose(600);
  const std::string whole = compressed(content);
  std::string back;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Status status = decompress(compressor(), whole.substr(0, size), content.size(), back);

    ASSERT_EQ(status.code(), StatusCode::invalid_argument) << size;
    ASSERT_TRUE(status.message().starts_with("decompress " + GetParam() + ": ")) << status.message();
  }
}

TEST_P(CompressorCorruption, SurvivesEveryValueOfEveryByte) {
  const std::string content = prose(150);
  const std::string whole = compressed(content);
  std::string back;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);

      const Status status = decompress(compressor(), damaged, content.size(), back);

      if (damaged == whole) {
        ASSERT_TRUE(status.is_ok());
      }
      if (!status.is_ok()) {
        ASSERT_EQ(status.code(), StatusCode::invalid_argument) << at << " " << value;
      }
    }
  }
}

TEST_P(CompressorCorruption, RefusesTrailingBytes) {
  for (const std::size_t size : {0U, 1U, 600U, 70000U}) {
    const std::string whole = compressed(prose(size));
    std::string back;

    EXPECT_EQ(decompress(compressor(), whole + '\0', size, back).code(), StatusCode::invalid_argument) << size;
    EXPECT_EQ(decompress(compressor(), whole + "x", size, back).code(), StatusCode::invalid_argument) << size;
    // gzip twice is gzip again.
    const bool is_whole = GetParam() == "gzip" && size == 0;
    EXPECT_EQ(decompress(compressor(), whole + whole, size, back).is_ok(), is_whole) << size;
    EXPECT_EQ(decompress(compressor(), whole + whole, 2 * size + 1, back).code(), StatusCode::invalid_argument) << size;
  }
}

TEST_P(CompressorCorruption, RefusesTwoInOneEvenIfTheSizesAddUp) {
  if (GetParam() == "gzip") GTEST_SKIP() << "gzip may have several members";
  const std::string whole = compressed(prose(600));
  std::string back;

  EXPECT_EQ(decompress(compressor(), whole + whole, 1200, back).code(), StatusCode::invalid_argument);
}

TEST_P(CompressorCorruption, RefusesAnySizeButTheRightOne) {
  const std::string whole = compressed(prose(600));
  std::string back;
  for (const std::size_t size : {0U, 1U, 599U, 601U, 1200U, 100000U}) {
    EXPECT_EQ(decompress(compressor(), whole, size, back).code(), StatusCode::invalid_argument) << size;
  }
  EXPECT_TRUE(decompress(compressor(), whole, 600, back).is_ok());
}

TEST_P(CompressorCorruption, RefusesAnySizeForNothing) {
  std::string back;

  EXPECT_EQ(decompress(compressor(), compressed(""), 1, back).code(), StatusCode::invalid_argument);
  EXPECT_EQ(decompress(compressor(), "", 0, back).code(), StatusCode::invalid_argument);
  EXPECT_EQ(decompress(compressor(), "", 100, back).code(), StatusCode::invalid_argument);
}

TEST_P(CompressorCorruption, StopsABombAtTheSizeAllowed) {
  const std::string bomb = compressed(std::string(32 << 20, '\0'));
  std::string back;
  ASSERT_LT(bomb.size(), 2U << 20);

  EXPECT_EQ(decompress(compressor(), bomb, 100, back).code(), StatusCode::invalid_argument);
  EXPECT_EQ(decompress(compressor(), bomb, 0, back).code(), StatusCode::invalid_argument);
}

TEST_P(CompressorCorruption, SurvivesNoise) {
  const std::uint64_t start = seed();
  std::string back;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::string input = noise(i % 300, start + i);

    const Status status = decompress(compressor(), input, i % 700, back);

    if (!status.is_ok()) {
      ASSERT_EQ(status.code(), StatusCode::invalid_argument) << i;
    }
  }
}

TEST_P(CompressorCorruption, SurvivesNoiseBehindAGoodStart) {
  const std::uint64_t start = seed();
  const std::string whole = compressed(prose(2000));
  std::string back;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::string input = whole.substr(0, i % whole.size()) + noise(100, start + i);

    const Status status = decompress(compressor(), input, 2000, back);

    if (!status.is_ok()) {
      ASSERT_EQ(status.code(), StatusCode::invalid_argument) << i;
    }
  }
}

}  // namespace
}  // namespace trunkline::test
