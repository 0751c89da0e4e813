// SPDX-License-Identifier: MIT
// Output: in order and complete, however it was queued and is taken; without memory while empty.
#include "base/output_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace trunkline::base {
namespace {

void put(OutputQueue& queue, std::string_view text) {
  std::memcpy(queue.reserve(text.size()), text.data(), text.size());
  queue.commit(text.size());
}

std::string take(OutputQueue& queue, std::size_t most) {
  std::string out;
  while (!queue.empty()) {
    std::array<ByteSpan, 3> spans;
    const std::size_t count = queue.gather(spans);
    std::size_t size = 0;
    for (std::size_t i = 0; i < count && size < most; ++i) {
      const ByteSpan part = spans[i].first(std::min(spans[i].size(), most - size));
      out += as_text(part);
      size += part.size();
    }
    queue.consume(size);
  }
  return out;
}

TEST(OutputQueue, IsEmptyAtFirst) {
  OutputQueue queue;
  std::array<ByteSpan, 2> spans;

  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.gather(spans), 0u);
}

TEST(OutputQueue, PutsSmallWritesIntoOneSpan) {
  OutputQueue queue;
  put(queue, "one");
  put(queue, "two");
  queue.append(as_bytes("three"));
  queue.append(Slice::copy_of("four"));
  std::array<ByteSpan, 4> spans;

  ASSERT_EQ(queue.gather(spans), 1u);
  EXPECT_EQ(as_text(spans[0]), "onetwothreefour");
  EXPECT_EQ(queue.size(), 15u);
}

TEST(OutputQueue, BorrowsLargeSlices) {
  OutputQueue queue;
  const Slice large = Slice::copy_of(std::string(5000, 'x'));
  put(queue, "head");
  queue.append(large);
  put(queue, "tail");
  std::array<ByteSpan, 4> spans;

  ASSERT_EQ(queue.gather(spans), 3u);
  EXPECT_EQ(spans[1].data(), large.data());
  EXPECT_FALSE(large.block()->unique());
  queue.clear();
  EXPECT_TRUE(large.block()->unique());
}

TEST(OutputQueue, KeepsOrderWhenTakenInPartsOfAnySize) {
  std::mt19937_64 random(5);
  for (const std::size_t most : {1u, 7u, 100u, 5000u, 1000000u}) {
    OutputQueue queue;
    std::string expected;
    for (int i = 0; i < 200; ++i) {
      const std::string text(random() % (most < 100 ? 30 : 9000), static_cast<char>('a' + i % 26));
      if (random() % 2 == 0) {
        put(queue, text);
      } else {
        queue.append(Slice::copy_of(text));
      }
      expected += text;
    }

    EXPECT_EQ(take(queue, most), expected);
    EXPECT_TRUE(queue.empty());
  }
}

TEST(OutputQueue, HoldsASliceUntilAllOfItIsTaken) {
  OutputQueue queue;
  queue.append(Slice::copy_of(std::string(10000, 'a')));
  queue.append(Slice::copy_of(std::string(5000, 'b')));

  queue.consume(9000);
  EXPECT_EQ(queue.size(), 6000U);
  EXPECT_EQ(queue.held_bytes(), 15000U);

  queue.consume(1500);
  EXPECT_EQ(queue.held_bytes(), 5000U);
  queue.consume(4500);
  EXPECT_EQ(queue.held_bytes(), 0U);
}

TEST(OutputQueue, GrowsWhileItIsTaken) {
  OutputQueue queue;
  std::string expected;
  std::string got;
  for (int i = 0; i < 1000; ++i) {
    const std::string text(100, static_cast<char>('a' + i % 26));
    put(queue, text);
    expected += text;
    std::array<ByteSpan, 1> span;
    if (queue.gather(span) == 0) continue;
    const ByteSpan part = span[0].first(std::min<std::size_t>(span[0].size(), 77));
    got += as_text(part);
    queue.consume(part.size());
  }

  EXPECT_EQ(got + take(queue, 1000), expected);
}

}  // namespace
}  // namespace trunkline::base
