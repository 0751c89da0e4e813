// SPDX-License-Identifier: MIT
// VectorQueue: the order of its items, and the memory that it takes.
#include "base/vector_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <set>
#include <vector>

namespace trunkline::base {
namespace {

TEST(VectorQueueTest, IsFirstInFirstOut) {
  VectorQueue<int> queue;
  EXPECT_TRUE(queue.empty());
  int pushed = 0;
  int popped = 0;
  // The queue grows and shrinks many times, and is seldom empty.
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < round % 7; ++i) queue.push_back(pushed++);
    for (int i = 0; i < round % 5 && !queue.empty(); ++i) EXPECT_EQ(queue.pop_front(), popped++);
    EXPECT_EQ(queue.size(), static_cast<std::size_t>(pushed - popped));
  }
  std::vector<int> rest(queue.begin(), queue.end());
  std::vector<int> expected(static_cast<std::size_t>(pushed - popped));
  std::iota(expected.begin(), expected.end(), popped);
  EXPECT_EQ(rest, expected);
  queue.clear();
  EXPECT_TRUE(queue.empty());
}

TEST(VectorQueueTest, KeepsNothingOfAPoppedItem) {
  VectorQueue<std::shared_ptr<int>> queue;
  const auto item = std::make_shared<int>(7);
  queue.push_back(item);
  queue.push_back(nullptr);
  EXPECT_EQ(*queue.pop_front(), 7);
  EXPECT_EQ(item.use_count(), 1);
}

TEST(VectorQueueTest, TakesAtMostTwiceTheMemoryOfItsItems) {
  VectorQueue<int> queue;
  for (int i = 0; i < 4; ++i) queue.push_back(i);
  std::set<const int*> places;
  for (int i = 4; i < 1000; ++i) {
    EXPECT_EQ(queue.pop_front(), i - 4);
    queue.push_back(i);
    if (i > 20) places.insert(&*queue.begin());
  }
  EXPECT_LE(places.size(), 8u);
}

}  // namespace
}  // namespace trunkline::base
