// SPDX-License-Identifier: MIT
// BlockCache: what it finds.
#include "session/grpc/block_cache.h"

#include <gtest/gtest.h>

#include <array>

namespace trunkline::session::grpc {
namespace {

TEST(BlockCache, DoesNotKnowAnEmptyBlock) {
  const std::array<std::byte, 1> block{};
  BlockCache<int> cache;
  cache.keep(block, 1, 7);

  ASSERT_NE(cache.find(block, 1), nullptr);
  EXPECT_EQ(*cache.find(block, 1), 7);
  EXPECT_EQ(cache.find({}, 0), nullptr);
}

}  // namespace
}  // namespace trunkline::session::grpc
