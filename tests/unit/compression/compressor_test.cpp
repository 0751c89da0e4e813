// SPDX-License-Identifier: MIT
// What every compressor does with good input.
#include <unit/compression/compressing.h>

#include <thread>

namespace trunkline::test {
namespace {

using CompressorRoundTrip = EveryCompressor;
INSTANTIATE_TEST_SUITE_P(Default, CompressorRoundTrip, testing::ValuesIn(compressor_names()),
                         [](const auto& test) { return test.param; });

constexpr std::size_t sizes[] = {0,   1,   2,    3,    15,   16,    17,    63,    64,     65,
                                 255, 256, 1000, 4095, 4096, 65535, 65536, 65537, 262144, 1048576};

TEST_P(CompressorRoundTrip, KeepsProseOfEverySize) {
  for (const std::size_t size : sizes) {
    const std::string content = prose(size);
    std::string back;

    const Status status = decompress(compressor(), compressed(content), size, back);

    ASSERT_TRUE(status.is_ok()) << size << ": " << status.to_string();
    ASSERT_TRUE(back == content) << size;
  }
}

TEST_P(CompressorRoundTrip, KeepsNoiseOfEverySize) {
  const std::uint64_t start = seed();
  for (const std::size_t size : sizes) {
    const std::string content = noise(size, start + size);
    std::string back;

    const Status status = decompress(compressor(), compressed(content), size, back);

    ASSERT_TRUE(status.is_ok()) << size << ": " << status.to_string();
    ASSERT_TRUE(back == content) << size;
  }
}

TEST_P(CompressorRoundTrip, MakesProseSmaller) {
  EXPECT_LT(compressed(prose(65536)).size(), 65536U / 2);
  EXPECT_LT(compressed(std::string(1 << 20, 'x')).size(), (1U << 20) / 10);
}

TEST_P(CompressorRoundTrip, GrowsNoiseOnlyALittle) {
  EXPECT_LT(compressed(noise(65536, 1)).size(), 65536U + 65536U / 64);
}

TEST_P(CompressorRoundTrip, AppendsToWhatIsThere) {
  const std::string content = prose(1000);
  BufferWriter out;
  out.append("head");

  ASSERT_TRUE(compressor().compress(as_bytes(content), out).is_ok());

  EXPECT_EQ(as_text(out.bytes()).substr(0, 4), "head");
  EXPECT_EQ(as_text(out.bytes()).substr(4), compressed(content));
}

TEST_P(CompressorRoundTrip, TakesNullSpansForEmptyOnes) {
  BufferWriter out;

  ASSERT_TRUE(compressor().compress({}, out).is_ok());

  EXPECT_TRUE(compressor().decompress(out.bytes(), {}).is_ok());
  EXPECT_EQ(compressor().decompress({}, {}).code(), StatusCode::invalid_argument);
}

TEST_P(CompressorRoundTrip, WorksAfterAFailure) {
  const std::string content = prose(5000);
  const std::string good = compressed(content);
  std::string back;
  ASSERT_FALSE(decompress(compressor(), good.substr(0, good.size() / 2), content.size(), back).is_ok());

  const Status status = decompress(compressor(), good, content.size(), back);

  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_EQ(back, content);
}

TEST_P(CompressorRoundTrip, ServesManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t i = 0; i < good.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::string content = prose(3000 + 1000 * i);
      for (int round = 0; round < 50; ++round) {
        BufferWriter out;
        std::string back(content.size(), '\0');
        const bool in = compressor().compress(as_bytes(content), out).is_ok();
        const std::span room(reinterpret_cast<std::byte*>(back.data()), back.size());
        if (in && compressor().decompress(out.bytes(), room).is_ok() && back == content) ++good[i];
      }
    });
  }
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(good, std::vector<int>(4, 50));
}

}  // namespace
}  // namespace trunkline::test
