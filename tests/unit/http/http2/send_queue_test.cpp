// SPDX-License-Identifier: MIT
// SendQueue: whose turn it is, how far the peer's windows go, and what is kept of streams that have gone.
#include "http/http2/send_queue.h"

#include "written_frames.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::http::http2 {
namespace {

/// A queue whose peer opens the windows of streams, but not that of the connection.
struct ShutQueue {
  ShutQueue() { static_cast<void>(queue.add_window(0)); }
  Stream& add(std::uint32_t id, std::size_t bytes) {
    Stream& stream = streams.add(id, 65535u, 65535u);
    queue.push(stream, Slice::from_string(std::string(bytes, 'x')));
    return stream;
  }
  void end(Stream& stream) {
    queue.drop(stream);
    streams.forget(stream);
  }

  const ConnectionLimits limits{};
  const Settings peer{};
  Streams<Stream> streams;
  base::OutputQueue output;
  SendQueue queue{limits, peer, streams.table(), output, [](void*, Stream&) {}, nullptr};
};

TEST(SendQueue, KeepsNoPlacesOfStreamsThatHaveGone) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{1} << 20}) {
    ShutQueue shut;
    // Uses up the window of the connection.
    shut.add(1, 65535);
    shut.queue.pump();
    Stream& waiting = shut.add(3, bytes);

    for (std::uint32_t id = 5; id < 20005; id += 2) {
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
  Stream& stream = shut.streams.add(1, 65535u, 65535u);
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
  Stream& stream = shut.add(1, 70000);
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

/// A queue to a peer with large windows, which remembers whose queue has become empty.
struct OpenQueue {
  explicit OpenQueue(const Settings& settings = {}) : peer(settings) {
    static_cast<void>(queue.add_window(FlowWindow::max_bytes - 65535));
  }
  Stream& add(std::uint32_t id, std::uint32_t window = FlowWindow::max_bytes) {
    return streams.add(id, window, 65535u);
  }
  void push(Stream& stream, std::size_t bytes) { queue.push(stream, Slice::from_string(std::string(bytes, 'x'))); }
  /// Sends all that can be sent. Returns the frames as texts, such as "3:16384" or "3:10 end".
  std::vector<std::string> pump() {
    std::vector<std::string> sent;
    do {
      queue.pump();
      for (const WrittenFrame& frame : written_frames(output)) {
        const bool is_end = frame.header.has(flag::end_stream);
        sent.push_back(std::to_string(frame.header.stream) + ":" + std::to_string(frame.header.length) +
                       (is_end ? " end" : ""));
      }
    } while (queue.can_pump());
    return sent;
  }
  static void on_sent(void* owner, Stream& stream) {
    auto& self = *static_cast<OpenQueue*>(owner);
    self.sent.push_back(stream.id);
    if (self.forgets_sent) self.streams.forget(stream);
  }

  ConnectionLimits limits{};
  const Settings peer;
  Streams<Stream> streams;
  base::OutputQueue output;
  SendQueue queue{limits, peer, streams.table(), output, &on_sent, this};
  std::vector<std::uint32_t> sent;
  bool forgets_sent = false;
};

using Frames = std::vector<std::string>;

TEST(SendQueue, TakesTurnsByFrames) {
  OpenQueue open;
  Stream& first = open.add(1);
  Stream& second = open.add(3);
  open.push(first, 40000);
  open.push(second, 20000);
  EXPECT_EQ(open.pump(), (Frames{"1:16384", "3:16384", "1:16384", "3:3616", "1:7232"}));
  EXPECT_EQ(open.sent, (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(open.queue.queued_bytes(), 0u);
  EXPECT_EQ(open.queue.held_bytes(), 0u);
  EXPECT_EQ(open.queue.sent_bytes(), 60000u);
}

TEST(SendQueue, EndsAStreamWithItsLastPart) {
  OpenQueue open;
  open.forgets_sent = true;
  Stream& stream = open.add(1);
  open.push(stream, 20000);
  open.push(stream, 5);
  stream.ends_with_queue = true;
  EXPECT_EQ(open.pump(), (Frames{"1:16384", "1:3616", "1:5 end"}));
  EXPECT_EQ(open.sent, std::vector<std::uint32_t>{1});
  EXPECT_TRUE(open.streams.empty());
}

TEST(SendQueue, StopsAtTheWindowOfAStream) {
  OpenQueue open;
  Stream& narrow = open.add(1, 100);
  Stream& wide = open.add(3);
  open.push(narrow, 150);
  open.push(wide, 150);
  EXPECT_EQ(open.pump(), (Frames{"1:100", "3:150"}));
  EXPECT_EQ(open.queue.queued_bytes(), 50u);
  // The memory of a message is there until all of it has been sent.
  EXPECT_EQ(open.queue.held_bytes(), 150u);
  EXPECT_FALSE(open.queue.can_pump());

  ASSERT_TRUE(open.queue.add_window(narrow, 1000));
  EXPECT_TRUE(open.queue.can_pump());
  EXPECT_EQ(open.pump(), Frames{"1:50"});
}

TEST(SendQueue, StopsAtTheWindowOfTheConnection) {
  const ConnectionLimits limits;
  const Settings peer;
  Streams<Stream> streams;
  base::OutputQueue output;
  SendQueue queue(
      limits, peer, streams.table(), output, [](void*, Stream&) {}, nullptr);
  Stream& stream = streams.add(1, FlowWindow::max_bytes, 65535u);
  queue.push(stream, Slice::from_string(std::string(70000, 'x')));
  queue.pump();
  EXPECT_EQ(queue.queued_bytes(), 70000u - 65535u);
  EXPECT_FALSE(queue.may_write(streams.add(3, 100, 100), 1));
  ASSERT_TRUE(queue.add_window(10));
  queue.pump();
  EXPECT_EQ(queue.queued_bytes(), 70000u - 65545u);
}

/// SETTINGS_INITIAL_WINDOW_SIZE may make the windows of open streams negative (RFC 9113, section 6.9.2).
TEST(SendQueue, FollowsTheSettingsOfThePeer) {
  OpenQueue open;
  Stream& stream = open.add(1, 100);
  open.push(stream, 1000);
  EXPECT_EQ(open.pump(), Frames{"1:100"});
  ASSERT_TRUE(open.queue.adjust(stream, 100, 50));
  ASSERT_TRUE(open.queue.add_window(stream, 40));
  EXPECT_EQ(open.pump(), Frames{});
  ASSERT_TRUE(open.queue.adjust(stream, 50, 80));
  EXPECT_EQ(open.pump(), Frames{"1:20"});
}

TEST(SendQueue, ASettingMayShutAWindowBeforeTheTurnOfItsStream) {
  OpenQueue open;
  Stream& stream = open.add(1, 100);
  open.push(stream, 1000);
  ASSERT_TRUE(open.queue.adjust(stream, 100, 0));
  EXPECT_EQ(open.pump(), Frames{});
  ASSERT_TRUE(open.queue.add_window(stream, 7));
  EXPECT_EQ(open.pump(), Frames{"1:7"});
}

TEST(SendQueue, RefusesWindowsThatAreTooLarge) {
  OpenQueue open;
  Stream& stream = open.add(1, 100);
  EXPECT_FALSE(open.queue.add_window(1));
  EXPECT_FALSE(open.queue.add_window(stream, FlowWindow::max_bytes));
  ASSERT_TRUE(open.queue.add_window(stream, 100));
  EXPECT_FALSE(open.queue.adjust(stream, 0, FlowWindow::max_bytes));
}

/// A frame is as long as the peer allows, and as chunk_bytes, or 16 KiB if that is more.
TEST(SendQueue, LimitsTheLengthOfFrames) {
  Settings peer;
  peer.max_frame_size = 1 << 20;
  OpenQueue open(peer);
  open.limits.chunk_bytes = 20000;
  open.push(open.add(1), 30000);
  EXPECT_EQ(open.pump(), (Frames{"1:20000", "1:10000"}));
  open.limits.chunk_bytes = 1000;
  open.push(open.add(3), 20000);
  EXPECT_EQ(open.pump(), (Frames{"3:16384", "3:3616"}));
}

/// Short messages that come later wait for little.
TEST(SendQueue, FillsTheOutputOnlySoFar) {
  OpenQueue open;
  open.limits.chunk_bytes = 16384;
  open.push(open.add(1), 100000);
  open.queue.pump();
  EXPECT_TRUE(open.queue.can_pump());
  EXPECT_LT(open.output.size(), 3u * 16384 + 100);
  open.push(open.add(3), 10);
  const Frames sent = open.pump();
  ASSERT_GT(sent.size(), 2u);
  EXPECT_EQ(sent[2], "3:10");
}

/// A peer that has room for some long messages shall get the end of those before the beginning of others.
TEST(SendQueue, FewLongMessagesTakeTurns) {
  OpenQueue open;
  open.limits.chunk_bytes = 16384;
  for (std::uint32_t id = 1; id <= 13; id += 2) open.push(open.add(id), 2 * 16384);
  const Frames sent = open.pump();
  EXPECT_EQ(sent, (Frames{"1:16384", "3:16384", "5:16384", "7:16384", "1:16384", "3:16384", "5:16384", "7:16384",
                          "9:16384", "11:16384", "13:16384", "9:16384", "11:16384", "13:16384"}));
  EXPECT_EQ(open.sent, (std::vector<std::uint32_t>{1, 3, 5, 7, 9, 11, 13}));
}

TEST(SendQueue, ShortMessagesAlternateWithLongOnes) {
  OpenQueue open;
  open.limits.chunk_bytes = 16384;
  open.push(open.add(1), 4 * 16384);
  for (std::uint32_t id = 3; id <= 7; id += 2) open.push(open.add(id), 10);
  const Frames sent = open.pump();
  EXPECT_EQ(sent, (Frames{"1:16384", "3:10", "1:16384", "5:10", "1:16384", "7:10", "1:16384"}));
}

TEST(SendQueue, WritesAtOnceWhatHasNothingBeforeIt) {
  OpenQueue open;
  Stream& stream = open.add(1, 20000);
  EXPECT_TRUE(open.queue.may_write(stream, 16384));
  EXPECT_FALSE(open.queue.may_write(stream, 16385));
  open.queue.write_frame_header(stream, 5, true);
  open.output.append(as_bytes("hello"));
  EXPECT_EQ(open.pump(), Frames{"1:5 end"});
  EXPECT_EQ(stream.send_window.available(), 19995u);
  EXPECT_EQ(open.queue.sent_bytes(), 5u);

  Stream& narrow = open.add(3, 10);
  EXPECT_FALSE(open.queue.may_write(narrow, 11));
  open.push(narrow, 5);
  EXPECT_FALSE(open.queue.may_write(narrow, 1));
  open.queue.drop(narrow);
  EXPECT_EQ(open.queue.queued_bytes(), 0u);
  EXPECT_TRUE(open.queue.may_write(narrow, 10));
  open.output.append(Slice::from_string(std::string(open.limits.max_unsent_bytes + 1, 'x')));
  EXPECT_FALSE(open.queue.may_write(narrow, 1));
}

/// A peer that returns little of its window at a time causes short frames itself, and is not owed two updates for each.
TEST(SendQueue, CountsNoFramesThatWereCutShortByAWindow) {
  OpenQueue open;
  Stream& stream = open.add(1, 100);
  open.push(stream, 5000);
  EXPECT_EQ(open.pump(), Frames{"1:100"});
  EXPECT_EQ(open.queue.worthwhile_frames(), 0u);
  ASSERT_TRUE(open.queue.add_window(stream, 1024));
  EXPECT_EQ(open.pump(), Frames{"1:1024"});
  EXPECT_EQ(open.queue.worthwhile_frames(), 1u);
  ASSERT_TRUE(open.queue.add_window(stream, 10000));
  open.pump();
  EXPECT_EQ(open.queue.worthwhile_frames(), 2u);
}

}  // namespace
}  // namespace trunkline::http::http2
