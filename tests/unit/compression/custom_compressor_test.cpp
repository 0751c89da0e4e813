// SPDX-License-Identifier: MIT
// A compressor of a user's own beside the built-in ones.
#include <trunkline/compressor.h>

#include <gtest/gtest.h>

namespace trunkline {
namespace {

/// Runs of one byte, as pairs of count and byte.
class RunCompressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "runs"; }
  Status compress(ByteSpan input, BufferWriter& out) const override {
    for (std::size_t i = 0; i < input.size();) {
      std::size_t count = 1;
      while (count < 255 && i + count < input.size() && input[i + count] == input[i]) ++count;
      out.push_back(static_cast<std::byte>(count));
      out.push_back(input[i]);
      i += count;
    }
    return Status::ok();
  }
  Status decompress(ByteSpan input, MutableByteSpan out) const override {
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < input.size(); i += 2) {
      const auto count = std::to_integer<std::size_t>(input[i]);
      if (count > out.size() - at) return {StatusCode::invalid_argument, "decompress runs: too long"};
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), count, input[i + 1]);
      at += count;
    }
    if (input.size() % 2 != 0 || at != out.size())
      return {StatusCode::invalid_argument, "decompress runs: sizes differ"};
    return Status::ok();
  }
};

TEST(CustomCompressor, StandsBehindTheDefaults) {
  const CompressorRegistry registry = CompressorRegistry::with_defaults().add(std::make_shared<RunCompressor>());

  EXPECT_EQ(registry.compressors().back()->name(), "runs");
  EXPECT_EQ(registry.find("runs"), registry.compressors().back().get());
  EXPECT_NE(registry.find("snappy"), nullptr);
}

TEST(CustomCompressor, WorksThroughTheInterface) {
  const CompressorRegistry registry = CompressorRegistry().add(std::make_shared<RunCompressor>());
  const Compressor& compressor = *registry.find("runs");
  const std::string content = std::string(1000, 'a') + "bcc";
  std::string back(content.size(), '\0');
  BufferWriter out;

  ASSERT_TRUE(compressor.compress(as_bytes(content), out).is_ok());
  ASSERT_TRUE(compressor.decompress(out.bytes(), {reinterpret_cast<std::byte*>(back.data()), back.size()}).is_ok());

  EXPECT_EQ(out.size(), 12U);
  EXPECT_EQ(back, content);
}

}  // namespace
}  // namespace trunkline
