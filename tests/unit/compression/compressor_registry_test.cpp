// SPDX-License-Identifier: MIT
// Tests of CompressorRegistry.
#include <trunkline/compressor.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline {
namespace {

class NamedCompressor final : public Compressor {
 public:
  explicit NamedCompressor(std::string name) : name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  Status compress(ByteSpan, BufferWriter&) const override { return Status::ok(); }
  Status decompress(ByteSpan, MutableByteSpan) const override { return Status::ok(); }

 private:
  std::string name_;
};

std::shared_ptr<const Compressor> named(std::string name) { return std::make_shared<NamedCompressor>(std::move(name)); }

TEST(CompressorRegistry, IsEmptyAtFirst) {
  EXPECT_TRUE(CompressorRegistry().compressors().empty());
  EXPECT_EQ(CompressorRegistry().find("snappy"), nullptr);
}

TEST(CompressorRegistry, HasOneCompressorForEachFeatureAfterSnappy) {
  const CompressorRegistry registry = CompressorRegistry::with_defaults();

  ASSERT_EQ(registry.compressors().size(), 1U + TRUNKLINE_COMPRESSION_FEATURES);
  EXPECT_EQ(registry.compressors().front()->name(), "snappy");
}

TEST(CompressorRegistry, KeepsTheOrderOfTheFirstDefaults) {
  // Their numbers on the wire follow from it.
  const std::vector<std::string> first = {"snappy", "zstd", "lz4", "gzip"};
  std::vector<std::string> found;
  for (const auto& compressor : CompressorRegistry::with_defaults().compressors()) {
    const std::string name(compressor->name());
    if (std::find(first.begin(), first.end(), name) != first.end()) found.push_back(name);
  }

  std::vector<std::string> expected;
  for (const std::string& name : first) {
    if (CompressorRegistry::with_defaults().find(name) != nullptr) expected.push_back(name);
  }
  EXPECT_EQ(found, expected);
}

TEST(CompressorRegistry, FindsByExactName) {
  const auto compressor = named("x");
  CompressorRegistry registry;

  registry.add(named("xy")).add(compressor);

  EXPECT_EQ(registry.find("x"), compressor.get());
  EXPECT_EQ(registry.find("X"), nullptr);
  EXPECT_EQ(registry.find(""), nullptr);
}

TEST(CompressorRegistry, ReplacesInPlace) {
  const auto second = named("a");
  CompressorRegistry registry;

  registry.add(named("a")).add(named("b")).add(second);

  ASSERT_EQ(registry.compressors().size(), 2U);
  EXPECT_EQ(registry.compressors()[0], second);
}

TEST(CompressorRegistry, IsAValue) {
  CompressorRegistry original;
  original.add(named("a"));

  CompressorRegistry copy = original;
  copy.add(named("b"));

  EXPECT_EQ(original.find("b"), nullptr);
  EXPECT_EQ(copy.find("a"), original.find("a"));
}

TEST(CompressorRegistry, RefusesNullAndInvalidNames) {
  CompressorRegistry registry;

  EXPECT_THROW(registry.add(nullptr), std::invalid_argument);
  for (const std::string& name : {std::string(), std::string("Snappy"), std::string("a b"), std::string("a/b"),
                                  std::string("\xC3\xA9"), std::string("a\0", 2), std::string(65, 'a')}) {
    EXPECT_THROW(registry.add(named(name)), std::invalid_argument) << name;
  }
  EXPECT_TRUE(registry.compressors().empty());
  EXPECT_NO_THROW(registry.add(named(std::string(64, 'a'))));
  EXPECT_NO_THROW(registry.add(named("az09-_.")));
}

TEST(CompressorRegistry, RefusesThe33rdButStillReplaces) {
  CompressorRegistry registry;
  for (int i = 0; i < 32; ++i) registry.add(named("c" + std::to_string(i)));

  EXPECT_THROW(registry.add(named("c32")), std::invalid_argument);
  EXPECT_NO_THROW(registry.add(named("c31")));
  EXPECT_EQ(registry.compressors().size(), 32U);
}

}  // namespace
}  // namespace trunkline
