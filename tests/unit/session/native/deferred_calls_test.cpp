// SPDX-License-Identifier: MIT
// Order, lookup and memory of deferred frames.
#include "session/native/deferred_calls.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

TEST(DeferredCalls, PopFramesInOrderWithTheirBytes) {
  DeferredCalls deferred;
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    const Slice body = Slice::copy_of(std::string(i % 7 == 0 ? 6000 : i % 50, static_cast<char>('a' + i % 26)));
    deferred.push({.type = wire::FrameType::call, .call = i}, body.bytes(), body.block());
  }
  deferred.push({.type = wire::FrameType::cancel, .call = 5}, {}, nullptr);
  const std::size_t calls = deferred.calls();

  for (std::uint32_t i = 1; i <= 1000; ++i) {
    const DeferredFrame frame = deferred.pop();
    if (i == 5) {
      EXPECT_TRUE(deferred.has_rest());
      EXPECT_EQ(deferred.uncharged(), 1u);
      EXPECT_EQ(deferred.pop().header.type, wire::FrameType::cancel);
    }
    EXPECT_FALSE(deferred.has_rest());
    ASSERT_EQ(frame.header.call, i);
    ASSERT_EQ(frame.body.to_string(), std::string(i % 7 == 0 ? 6000 : i % 50, static_cast<char>('a' + i % 26)));
  }

  EXPECT_EQ(calls, 1000u);
  EXPECT_EQ(deferred.calls(), 0u);
  EXPECT_EQ(deferred.uncharged(), 0u);
  EXPECT_TRUE(deferred.empty());
}

TEST(DeferredCalls, FindCallsAcrossAWrapOfIds) {
  DeferredCalls deferred;
  for (const std::uint32_t id : {0xFFFFFFF0u, 0xFFFFFFFFu, 1u, 7u})
    deferred.push({.type = wire::FrameType::call, .call = id}, {}, nullptr);

  EXPECT_TRUE(deferred.has_call(0xFFFFFFFFu));
  EXPECT_TRUE(deferred.has_call(7));
  EXPECT_FALSE(deferred.has_call(2));
  EXPECT_FALSE(deferred.has_call(0));
  EXPECT_FALSE(deferred.has_call(0xFFFFFFEFu));
}

TEST(DeferredCalls, DoNotRetainAReadBufferForAFewBytes) {
  DeferredCalls deferred;
  Block* buffer = Block::allocate(65536);
  std::memcpy(buffer->data(), "few", 3);

  deferred.push({.type = wire::FrameType::call, .call = 1}, {buffer->data(), 3}, buffer);

  EXPECT_TRUE(buffer->unique());
  EXPECT_EQ(deferred.pop().body.text(), "few");
  buffer->release();
}

TEST(DeferredCalls, CountWhatTheyTakeBesideTheirBodies) {
  DeferredCalls deferred;
  for (std::uint32_t i = 1; i <= 100; ++i) deferred.push({.type = wire::FrameType::call, .call = i}, {}, nullptr);
  const std::size_t of_calls = deferred.node_bytes();
  deferred.push({.type = wire::FrameType::cancel, .call = 1}, {}, nullptr);
  const std::size_t with_rest = deferred.node_bytes();

  while (!deferred.empty()) static_cast<void>(deferred.pop());

  EXPECT_GE(of_calls, 100 * sizeof(DeferredFrame));
  EXPECT_EQ(with_rest, of_calls + sizeof(DeferredFrame));
  EXPECT_EQ(deferred.node_bytes(), 0u);
}

}  // namespace
}  // namespace trunkline::session::native
