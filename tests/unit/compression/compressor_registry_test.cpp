// SPDX-License-Identifier: MIT
// Tests of CompressorRegistry.
#include <trunkline/compressor.h>

#include <gtest/gtest.h>

#include <stdexcept>

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

TEST(CompressorRegistry, HasTheDefaultsInOrder) {
  std::string names;
  for (const auto& compressor : CompressorRegistry::with_defaults().compressors())
    names.append(compressor->name()).append(" ");

  std::string expected = "snappy ";
#ifdef TRUNKLINE_HAS_ZSTD
  expected += "zstd ";
#endif
#ifdef TRUNKLINE_HAS_LZ4
  expected += "lz4 ";
#endif
#ifdef TRUNKLINE_HAS_GZIP
  expected += "gzip ";
#endif
  EXPECT_EQ(names, expected);
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
