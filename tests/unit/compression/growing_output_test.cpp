// SPDX-License-Identifier: MIT
// Output that is made step by step: memory follows what the input really holds.
#include "compressing.h"

#include <string>

namespace trunkline::test {
namespace {

class GrowingOutput : public EveryCompressor {};

TEST_P(GrowingOutput, IsTheWholeContent) {
  std::string mixed;
  for (std::uint32_t i = 0, value = 1; i < 3'000'000; ++i) {
    mixed += i % 1000 < 200 ? static_cast<char>((value = value * 1664525u + 1013904223u) >> 24) : 'x';
  }
  for (const std::string& content : {std::string(), std::string("a"), std::string(1 << 16, 'x'),
                                     std::string((1 << 16) + 1, 'x'), std::string(5'000'000, 'x'), mixed}) {
    const std::string input = compressed(content);
    BufferWriter out;

    const Status status = compressor().append_decompressed(as_bytes(input), content.size(), out);

    ASSERT_TRUE(status.is_ok()) << content.size() << ": " << status.to_string();
    EXPECT_EQ(as_text(out.bytes()), content);
  }
}

TEST_P(GrowingOutput, RefusesOtherSizes) {
  const std::string content(1'000'000, 'x');
  const std::string input = compressed(content);

  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, content.size() - 1, content.size() + 1}) {
    BufferWriter out;
    EXPECT_EQ(compressor().append_decompressed(as_bytes(input), size, out).code(), StatusCode::invalid_argument)
        << size;
  }
}

TEST_P(GrowingOutput, TakesLittleMemoryForAnInputThatOnlyClaims) {
  const std::string input = compressed(std::string(1000, 'x'));
  BufferWriter out;

  const Status status = compressor().append_decompressed(as_bytes(input), 64 << 20, out);

  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_LE(out.size(), 1000u);
  // What it has made room for and not written is still there.
  EXPECT_LE(out.prepare(0).size() + out.size(), std::size_t{1} << 20);
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, GrowingOutput, testing::ValuesIn(compressor_names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace trunkline::test
