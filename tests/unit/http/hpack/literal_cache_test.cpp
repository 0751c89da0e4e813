// SPDX-License-Identifier: MIT
// The cache of literals: hits, keys, replacement.
#include "http/hpack/literal_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::hpack {
namespace {

LiteralCache::Slot& insert(LiteralCache& cache, std::uint16_t name, std::string_view encoded, std::string_view value) {
  return cache.insert(name, as_bytes(encoded), value, 5);
}

TEST(LiteralCache, FindsWhatWasInserted) {
  LiteralCache cache;
  EXPECT_EQ(cache.find(4, as_bytes("encoded")), nullptr);

  insert(cache, 4, "encoded", "value").memo = 7;

  const LiteralCache::Slot* slot = cache.find(4, as_bytes("encoded"));
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->value(), "value");
  EXPECT_EQ(slot->memo, 7U);
  EXPECT_EQ(slot->kind, 5);
}

TEST(LiteralCache, TellsNamesAndBytesApart) {
  LiteralCache cache;
  insert(cache, 4, "one encoded value", "value");

  EXPECT_EQ(cache.find(5, as_bytes("one encoded value")), nullptr);
  // The same last bytes, so the same set.
  EXPECT_EQ(cache.find(4, as_bytes("two encoded value")), nullptr);
  EXPECT_EQ(cache.find(4, as_bytes("encoded value")), nullptr);
}

TEST(LiteralCache, ReplacesTheLessRecentlyUsedOfTwo) {
  LiteralCache cache;
  insert(cache, 4, "a same-ending", "a").memo = 1;
  insert(cache, 4, "b same-ending", "b").memo = 2;
  EXPECT_NE(cache.find(4, as_bytes("a same-ending")), nullptr);

  EXPECT_EQ(insert(cache, 4, "c same-ending", "c").memo, 0U);

  EXPECT_NE(cache.find(4, as_bytes("a same-ending")), nullptr);
  EXPECT_EQ(cache.find(4, as_bytes("b same-ending")), nullptr);
  EXPECT_NE(cache.find(4, as_bytes("c same-ending")), nullptr);
}

TEST(LiteralCache, HoldsLiteralsUpToItsLimit) {
  LiteralCache cache;
  const std::string encoded(100, 'e');
  const std::string value(LiteralCache::max_slot_bytes - 100, 'v');
  EXPECT_TRUE(LiteralCache::can_hold(encoded.size(), value.size()));
  EXPECT_FALSE(LiteralCache::can_hold(encoded.size(), value.size() + 1));

  insert(cache, 1, encoded, value);

  ASSERT_NE(cache.find(1, as_bytes(encoded)), nullptr);
  EXPECT_EQ(cache.find(1, as_bytes(encoded))->value(), value);
}

TEST(LiteralCache, HoldsEmptyValues) {
  LiteralCache cache;
  insert(cache, 1, std::string_view("\0", 1), "");

  ASSERT_NE(cache.find(1, as_bytes(std::string_view("\0", 1))), nullptr);
  EXPECT_EQ(cache.find(1, as_bytes(std::string_view("\0", 1)))->value(), "");
}

}  // namespace
}  // namespace trunkline::http::hpack
