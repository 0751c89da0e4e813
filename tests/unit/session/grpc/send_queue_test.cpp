// SPDX-License-Identifier: MIT
// SendQueue: what it keeps of streams that have gone.
#include "session/grpc/send_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::grpc {
namespace {

/// A queue whose peer opens the windows of streams, but not that of the connection.
struct ShutQueue final : SendQueueOwner {
  ShutQueue() { static_cast<void>(queue.add_window(0)); }
  void on_queue_sent(GrpcStream&) override {}
  GrpcStream& add(CallId id, std::size_t bytes) {
    GrpcStream& stream = streams.add(id, 65535u, 65535u, nullptr, nullptr);
    queue.push(stream, Slice::from_string(std::string(bytes, 'x')));
    return stream;
  }
  void end(GrpcStream& stream) {
    queue.drop(stream);
    streams.forget(stream);
  }

  const ConnectionLimits limits{};
  const http::http2::Settings peer{};
  StreamTable streams;
  OutputQueue output;
  SendQueue queue{limits, peer, streams, output, *this};
};

TEST(SendQueue, KeepsNoPlacesOfStreamsThatHaveGone) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{1} << 20}) {
    ShutQueue shut;
    // Uses up the window of the connection.
    shut.add(1, 65535);
    shut.queue.pump();
    GrpcStream& waiting = shut.add(3, bytes);

    for (CallId id = 5; id < 20005; id += 2) {
      shut.end(shut.add(id, bytes));
      shut.queue.pump();
    }

    EXPECT_LE(shut.queue.places(), 100u) << bytes;
    EXPECT_EQ(shut.queue.queued_bytes(), bytes) << bytes;
    ASSERT_TRUE(shut.queue.add_window(1 << 20)) << bytes;
    ASSERT_TRUE(shut.queue.add_window(waiting, 1 << 20)) << bytes;
    while (shut.queue.can_pump()) {
      shut.queue.pump();
      shut.output.consume(shut.output.size());
    }
    EXPECT_EQ(shut.queue.queued_bytes(), 0u) << bytes;
  }
}

/// A message begins with its prefix, which is no message of its own.
TEST(SendQueue, DoesNotHoldBackAFirstMessage) {
  ShutQueue shut;
  ASSERT_TRUE(shut.queue.add_window(1 << 20));
  GrpcStream& stream = shut.streams.add(1, 65535u, 65535u, nullptr, nullptr);
  shut.queue.push(stream, Slice::from_string("12345"), false);
  shut.queue.push(stream, Slice::from_string(std::string(100000, 'x')));

  while (stream.send_window.available() > 0) {
    shut.queue.pump();
    shut.output.consume(shut.output.size());
  }

  EXPECT_EQ(shut.queue.queued_bytes(), 100005u - 65535u);
  EXPECT_EQ(shut.queue.held_back_bytes(), 0u);
}

TEST(SendQueue, HoldsBackWhatWaitsForThePeersApplication) {
  ShutQueue shut;
  ASSERT_TRUE(shut.queue.add_window(1 << 20));
  GrpcStream& stream = shut.add(1, 70000);
  const auto pump = [&] {
    shut.queue.pump();
    shut.output.consume(shut.output.size());
  };

  // The peer opens the window for a first message by itself.
  while (stream.send_window.available() > 0) pump();
  EXPECT_EQ(shut.queue.queued_bytes(), 70000u - 65535u);
  EXPECT_EQ(shut.queue.held_back_bytes(), 0u);

  // What follows waits until the application has read.
  shut.queue.push(stream, Slice::from_string(std::string(100, 'x')));
  ASSERT_TRUE(shut.queue.add_window(stream, 70000 - 65535));
  pump();
  EXPECT_EQ(shut.queue.queued_bytes(), 100u);
  EXPECT_EQ(shut.queue.held_back_bytes(), 100u);
  shut.queue.push(stream, Slice::from_string(std::string(50, 'x')));
  EXPECT_EQ(shut.queue.held_back_bytes(), 150u);

  ASSERT_TRUE(shut.queue.add_window(stream, 120));
  EXPECT_EQ(shut.queue.held_back_bytes(), 0u);
  pump();
  EXPECT_EQ(shut.queue.queued_bytes(), 30u);
  EXPECT_EQ(shut.queue.held_back_bytes(), 50u);  // the message is held in full until all of it has been sent
  shut.end(stream);
  EXPECT_EQ(shut.queue.held_back_bytes(), 0u);
}

}  // namespace
}  // namespace trunkline::session::grpc
