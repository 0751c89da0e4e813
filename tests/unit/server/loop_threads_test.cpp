// SPDX-License-Identifier: MIT
// The threads of loops: each runs its index, and each is joined.
#include "server/loop_threads.h"

#include <gtest/gtest.h>

#include <atomic>

namespace trunkline::server {

namespace {

TEST(LoopThreads, RunEachIndexOnce) {
  LoopThreads threads;
  std::atomic<unsigned> ran{0};

  const LoopThreads::Started started = threads.start(
      1, 4, [&](std::size_t index) { ran += 1u << index; }, [](std::size_t) {});
  threads.join();

  EXPECT_TRUE(started.status.is_ok());
  EXPECT_EQ(started.threads, 3u);
  EXPECT_EQ(ran, 0b1110u);
}

TEST(LoopThreads, MayBeJoinedTwiceAndWithoutAny) {
  LoopThreads threads;
  threads.join();
  threads.start(
      0, 1, [](std::size_t) {}, [](std::size_t) {});

  threads.join();
  threads.join();
}

TEST(LoopThreads, OfAnEmptyRangeAreNone) {
  LoopThreads threads;

  const LoopThreads::Started started = threads.start(
      1, 1, [](std::size_t) {}, [](std::size_t) {});

  EXPECT_TRUE(started.status.is_ok());
  EXPECT_EQ(started.threads, 0u);
}

}  // namespace

}  // namespace trunkline::server
