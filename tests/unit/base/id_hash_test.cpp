// SPDX-License-Identifier: MIT
// The spread of call ids: even if they are sequential, and unpredictable for a client that chooses them.
#include "base/id_hash.h"

#include "base/random_seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_set>
#include <vector>

namespace trunkline::base {
namespace {

constexpr std::uint64_t seeds = 500;

/// The largest number of `ids` that share one of 2^bits slots.
std::size_t most_in_a_place(const IdHash& hash, const std::vector<std::uint32_t>& ids, int bits) {
  std::vector<std::size_t> places(std::size_t{1} << bits, 0);
  for (const std::uint32_t id : ids) ++places[hash(id, 64 - bits)];
  return *std::max_element(places.begin(), places.end());
}

std::vector<std::uint32_t> rising(std::uint32_t first, std::uint32_t step, std::size_t count) {
  std::vector<std::uint32_t> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(first + static_cast<std::uint32_t>(i) * step);
  return ids;
}

TEST(IdHash, SpreadsIdsThatRiseByOneEvenlyWhateverTheSeed) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const IdHash hash(seed);
    for (const std::uint32_t first : {1u, 0x12345678u, 0xFFFFFF00u}) {
      // 16 for each of 64 slots, and half as many ids as slots.
      EXPECT_LE(most_in_a_place(hash, rising(first, 1, 1024), 6), 24u) << seed;
      EXPECT_LE(most_in_a_place(hash, rising(first, 1, 1024), 11), 3u) << seed;
      EXPECT_LE(most_in_a_place(hash, rising(first, 1, 8), 4), 3u) << seed;
    }
  }
}

TEST(IdHash, SpreadsIdsChosenAgainstAnotherSeed) {
  // These ids share a slot in every table of 2^12 slots with the first seed. A fixed multiplier would make such ids
  // easy to find.
  std::vector<std::uint32_t> chosen;
  const IdHash known(1);
  for (std::uint32_t id = 1; chosen.size() < 512; ++id) {
    if (known(id, 64 - 12) == 0) chosen.push_back(id);
  }
  ASSERT_EQ(most_in_a_place(known, chosen, 12), 512u);

  for (std::uint64_t seed = 2; seed < seeds; ++seed) {
    EXPECT_LE(most_in_a_place(IdHash(seed), chosen, 10), 32u) << seed;
  }
}

TEST(IdHash, SpreadsIdsThatCollideByTheGoldenRatio) {
  // Multiples of the inverse of 2654435769 modulo 2^32: with that multiplier alone all of them share the first
  // slots.
  const std::uint32_t inverse = 340573321;
  ASSERT_EQ(inverse * 2654435769u, 1u);

  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    EXPECT_LE(most_in_a_place(IdHash(seed), rising(inverse, inverse, 1024), 11), 64u) << seed;
  }
}

TEST(IdHash, DiffersForEachSeed) {
  std::set<std::size_t> places;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) places.insert(IdHash(seed)(1, 16));

  EXPECT_EQ(places.size(), seeds);
}

TEST(RandomSeed, DiffersEachTime) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < seeds; ++i) seen.insert(random_seed());

  EXPECT_EQ(seen.size(), seeds);
}

TEST(IdHash, SpreadsIdsOverTheBucketsOfAStandardContainer) {
  std::unordered_set<std::uint32_t, IdHash> set;
  set.reserve(4096);
  const std::size_t buckets = set.bucket_count();

  for (std::size_t i = 1; i <= 1024; ++i) set.insert(static_cast<std::uint32_t>(i * buckets));

  std::size_t most = 0;
  for (std::size_t i = 0; i < set.bucket_count(); ++i) most = std::max(most, set.bucket_size(i));
  EXPECT_LE(most, 64u);
}

}  // namespace
}  // namespace trunkline::base
