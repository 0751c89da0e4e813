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

}  // namespace
}  // namespace trunkline::session::grpc
