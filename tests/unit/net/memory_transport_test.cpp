// SPDX-License-Identifier: MIT
// What is particular to the memory transport: the bound, two loops, claiming. The rest is in transport_test.cpp.
#include "net/memory_transport.h"

#include "kit/manual_clock.h"
#include "net/byte_ring.h"
#include "stream_peer.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace trunkline::net {
namespace {

IoResult write(Transport& transport, std::string_view text) {
  const ByteSpan span = as_bytes(text);
  return transport.write({&span, 1});
}

TEST(MemoryTransport, AcceptsNoMoreThanItsBuffer) {
  Loop loop;
  auto [near, far] = make_memory_pair(loop, loop, {.buffer_bytes = 10});

  EXPECT_EQ(write(*near, "123456").bytes, 6U);
  EXPECT_EQ(write(*near, "789abc").bytes, 4U);
  EXPECT_EQ(write(*near, "def").state, IoState::would_block);
}

TEST(MemoryTransport, ReadingMakesRoomForTheWriter) {
  Loop loop;
  auto [near, far] = make_memory_pair(loop, loop, {.buffer_bytes = 4});
  StreamPeer writer(std::move(near));
  StreamPeer reader(std::move(far));
  const std::string text(1001, 't');
  reader.receive_all(3);

  writer.send(text);
  settle(loop);

  EXPECT_EQ(reader.received(), text);
}

TEST(MemoryTransport, WritingNothingDoesNotBlock) {
  Loop loop;
  auto [near, far] = make_memory_pair(loop, loop, {.buffer_bytes = 1});
  write(*near, "x");

  EXPECT_EQ(write(*near, "").state, IoState::ok);
}

TEST(MemoryTransport, BothDirectionsAreIndependent) {
  Loop loop;
  auto [near, far] = make_memory_pair(loop, loop, {.buffer_bytes = 4});
  EXPECT_EQ(write(*near, "1234").bytes, 4U);

  EXPECT_EQ(write(*far, "abcd").bytes, 4U);
}

TEST(MemoryTransport, WritingAfterShutdownFails) {
  Loop loop;
  auto [near, far] = make_memory_pair(loop, loop);

  near->shutdown_send();

  const IoResult result = write(*near, "x");
  EXPECT_EQ(result.state, IoState::failed);
  EXPECT_EQ(result.error.message(), "write to inproc://: the sending side is shut down");
}

TEST(MemoryTransport, ReportsReadableAndWritableAtOnce) {
  Loop loop;
  auto [near, far] = make_memory_pair(loop, loop);
  StreamPeer peer(std::move(near));
  peer.receive_all();
  peer.transport().wait_writable();

  write(*far, "x");
  settle(loop);

  EXPECT_EQ(peer.readable_calls(), 1);
  EXPECT_EQ(peer.writable_calls(), 1);
}

TEST(MemoryTransport, UnclaimedEndClosesTheStream) {
  Loop loop;
  std::optional<StreamPeer> peer;
  {
    auto [near, end] = make_memory_link(loop);
    peer.emplace(std::move(near));
    peer->receive_all();
  }

  settle(loop);

  EXPECT_TRUE(peer->is_ended());
}

TEST(MemoryTransport, BytesWrittenBeforeClaimingArrive) {
  Loop loop;
  auto [near, end] = make_memory_link(loop);
  write(*near, "early");

  StreamPeer peer(end.claim(loop));
  peer.receive_all();
  settle(loop);

  EXPECT_EQ(peer.received(), "early");
}

/// Sends back what it receives, on a loop and thread of its own, until its peer ends.
void echo_until_the_end(Loop& loop, std::unique_ptr<Transport> transport) {
  StreamPeer peer(std::move(transport));
  peer.receive_all();
  std::size_t echoed = 0;
  loop.run_until(
      [&] {
        const std::string_view news = std::string_view(peer.received()).substr(echoed);
        echoed += news.size();
        if (!news.empty()) peer.send(news);
        return peer.is_ended() && peer.is_all_sent();
      },
      base::never);
}

TEST(MemoryTransport, ConnectsTwoThreads) {
  Loop near_loop;
  Loop far_loop;
  auto [near, far] = make_memory_pair(near_loop, far_loop, {.buffer_bytes = 1000});
  std::thread echo([&far_loop, moved = std::move(far)]() mutable { echo_until_the_end(far_loop, std::move(moved)); });
  StreamPeer peer(std::move(near));
  peer.receive_all();
  std::string expected;
  for (int i = 0; i < 2000; ++i) expected += "message " + std::to_string(i) + "\n";

  peer.send(expected);
  const bool arrived = run_until(near_loop, [&] { return peer.received().size() == expected.size(); });
  peer.transport().shutdown_send();
  echo.join();

  EXPECT_TRUE(arrived);
  EXPECT_TRUE(peer.received() == expected);
}

TEST(MemoryTransport, WakeUpOutlivesBothEndsButNotTheLoop) {
  Loop near_loop;
  {
    Loop far_loop;
    auto [near, far] = make_memory_pair(near_loop, far_loop);
    far->wait_readable();
    write(*near, "wakes the far loop, which never runs");
  }

  EXPECT_FALSE(near_loop.poll());
}

TEST(ByteRing, WrapsAround) {
  ByteRing ring(5);
  std::array<std::byte, 3> bytes;
  const MutableByteSpan room(bytes);
  std::string seen;
  std::string sent;

  for (int i = 0; i < 20; ++i) {
    const std::string text{static_cast<char>('a' + i), static_cast<char>('A' + i)};
    const ByteSpan span = as_bytes(text);
    sent += text.substr(0, ring.write({&span, 1}));
    const std::size_t count = ring.read({&room, 1});
    seen += as_text(ByteSpan(bytes).first(count));
  }

  EXPECT_EQ(seen, sent);
  EXPECT_EQ(sent.size(), 40U);
  EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace trunkline::net
