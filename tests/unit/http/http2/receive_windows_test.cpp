// SPDX-License-Identifier: MIT
// ReceiveWindows: when the peer may send more.
#include "http/http2/receive_windows.h"

#include "written_frames.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace trunkline::http::http2 {
namespace {

constexpr std::uint32_t connection_window = 1 << 20;
constexpr std::uint32_t stream_window = 256 << 10;

ConnectionLimits small_limits() {
  ConnectionLimits limits;
  limits.connection_credit_bytes = connection_window;
  limits.call_credit_bytes = stream_window;
  return limits;
}

struct Windows {
  explicit Windows(Sender side = Sender::server) : windows(side, limits, output) {}

  /// Returns the updates that have been written since the last call, such as "0:524288 3:100".
  std::string updates() {
    std::string text;
    for (const WrittenFrame& frame : written_frames(output)) {
      EXPECT_EQ(frame.header.type, FrameType::window_update);
      text += (text.empty() ? "" : " ") + std::to_string(frame.header.stream) + ":" + std::to_string(frame.number());
    }
    return text;
  }

  const ConnectionLimits limits = small_limits();
  base::OutputQueue output;
  ReceiveWindows windows;
  Stream stream{3, 65535, stream_window};
};

TEST(ReceiveWindows, RefusesMoreThanTheConnectionsWindow) {
  Windows peer;
  EXPECT_TRUE(peer.windows.charge(connection_window));
  EXPECT_EQ(peer.windows.left(), 0u);
  EXPECT_TRUE(peer.windows.charge(0));
  EXPECT_FALSE(peer.windows.charge(1));
}

TEST(ReceiveWindows, RefusesMoreThanTheWindowOfAStream) {
  Windows peer;
  EXPECT_TRUE(ReceiveWindows::charge(peer.stream, stream_window));
  EXPECT_FALSE(ReceiveWindows::charge(peer.stream, 1));
}

TEST(ReceiveWindows, OpensTheConnectionAgainByHalves) {
  Windows peer;
  ASSERT_TRUE(peer.windows.charge(connection_window / 2));
  peer.windows.give_back(connection_window / 2 - 1);
  EXPECT_EQ(peer.updates(), "");
  peer.windows.give_back(1);
  EXPECT_EQ(peer.updates(), "0:524288");
  EXPECT_EQ(peer.windows.left(), connection_window);
}

/// What is left is less than what can be given back, although that is less than half.
TEST(ReceiveWindows, OpensAConnectionEarlierThatIsNearlyShut) {
  Windows peer;
  ASSERT_TRUE(peer.windows.charge(connection_window - 1000));
  peer.windows.give_back(16383);
  EXPECT_EQ(peer.updates(), "");
  peer.windows.give_back(1);
  EXPECT_EQ(peer.updates(), "0:16384");
}

TEST(ReceiveWindows, OpensAStreamAgainByHalves) {
  Windows peer;
  ASSERT_TRUE(ReceiveWindows::charge(peer.stream, stream_window));
  peer.windows.give_back(peer.stream, stream_window / 2 - 1);
  EXPECT_EQ(peer.updates(), "");
  peer.windows.give_back(peer.stream, 1);
  EXPECT_EQ(peer.updates(), "3:131072");
  EXPECT_EQ(peer.stream.receive_window.available(), stream_window / 2);
}

/// A window that was granted early, for a message that nobody had read, is not granted twice.
TEST(ReceiveWindows, SettlesTheDebtOfAStreamFirst) {
  Windows peer;
  ASSERT_TRUE(ReceiveWindows::charge(peer.stream, stream_window));
  peer.stream.debt = 100000;
  peer.windows.give_back(peer.stream, 200000);
  EXPECT_EQ(peer.updates(), "");
  peer.windows.give_back(peer.stream, 50000);
  EXPECT_EQ(peer.updates(), "3:150000");
  ASSERT_TRUE(ReceiveWindows::charge(peer.stream, 150000));
  peer.stream.debt = 0;
  peer.windows.give_back(peer.stream, stream_window / 2 - 100000);
  EXPECT_EQ(peer.updates(), "3:131072");
}

TEST(ReceiveWindows, OpensNoStreamOnWhichNothingMoreComes) {
  Windows peer;
  peer.stream.state = StreamState::half_closed_remote;
  peer.windows.give_back(peer.stream, stream_window);
  EXPECT_EQ(peer.updates(), "");
}

/// A client may go on sending for a call that a server has finished; it gets no window for that. A server's response to
/// a client's one-way call is drained.
TEST(ReceiveWindows, OpensNoFinishedStreamAtAServer) {
  Windows server;
  server.stream.is_finished = true;
  server.windows.give_back(server.stream, stream_window);
  EXPECT_EQ(server.updates(), "");

  Windows client(Sender::client);
  client.stream.is_finished = true;
  client.windows.give_back(client.stream, stream_window);
  EXPECT_EQ(client.updates(), "3:262144");
}

/// A server may interleave the responses to all calls of a client.
TEST(ReceiveWindows, BeginsTheStreamsOfClientsWithLittle) {
  ConnectionLimits limits;
  EXPECT_EQ(ReceiveWindows::first_window(Sender::server, limits), limits.call_credit_bytes);
  EXPECT_EQ(ReceiveWindows::first_window(Sender::client, limits), 128u << 10);
  limits.call_credit_bytes = 1000;
  EXPECT_EQ(ReceiveWindows::first_window(Sender::client, limits), 1000u);
}

/// Other messages pass those that wait, up to half of the window.
TEST(ReceiveWindows, OpensAServersConnectionForHalfAWindowOfWaitingMessages) {
  Windows peer;
  ASSERT_TRUE(peer.windows.charge(connection_window));
  peer.windows.add_waiting(connection_window / 2);
  EXPECT_EQ(peer.updates(), "0:524288");
  EXPECT_FALSE(peer.windows.is_used_up_by_waiting());

  ASSERT_TRUE(peer.windows.charge(connection_window / 2));
  peer.windows.add_waiting(connection_window / 2);
  EXPECT_EQ(peer.updates(), "");
  EXPECT_EQ(peer.windows.left(), 0u);
  EXPECT_TRUE(peer.windows.is_used_up_by_waiting());

  // Of the million bytes that wait, the half that was withheld comes back first.
  peer.windows.drop_waiting(connection_window / 2);
  EXPECT_EQ(peer.updates(), "0:524288");
  EXPECT_FALSE(peer.windows.is_used_up_by_waiting());
  peer.windows.drop_waiting(connection_window / 2);
  EXPECT_EQ(peer.updates(), "");
}

TEST(ReceiveWindows, OpensAClientsConnectionForAllWaitingMessages) {
  Windows peer(Sender::client);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(peer.windows.charge(connection_window));
    peer.windows.add_waiting(connection_window);
    EXPECT_EQ(peer.updates(), "0:1048576");
  }
  EXPECT_FALSE(peer.windows.is_used_up_by_waiting());
}

/// Messages that have room could not go on otherwise.
TEST(ReceiveWindows, OpensAConnectionFurtherThatWaitingMessagesHaveUsedUp) {
  Windows peer;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(peer.windows.charge(peer.windows.left()));
    peer.windows.add_waiting(connection_window / (i == 0 ? 1 : 2));
    static_cast<void>(peer.updates());
  }
  ASSERT_TRUE(peer.windows.is_used_up_by_waiting());
  peer.windows.open_for_waiting();
  EXPECT_EQ(peer.updates(), "0:131072");
  EXPECT_FALSE(peer.windows.is_used_up_by_waiting());

  // Once little waits, messages that come later get no more than half a window again.
  peer.windows.drop_waiting(connection_window * 3 / 2);
  static_cast<void>(peer.updates());
  ASSERT_TRUE(peer.windows.charge(connection_window));
  peer.windows.add_waiting(connection_window);
  EXPECT_EQ(peer.updates(), "0:524288");
}

/// A stream gets the larger window with its next update.
TEST(ReceiveWindows, GrowsTheWindowsOfStreams) {
  using std::chrono::milliseconds;
  Windows peer;
  const BandwidthEstimator::TimePoint start{std::chrono::hours(1)};
  ASSERT_TRUE(peer.windows.estimator().add(200000, start));
  static_cast<void>(peer.windows.estimator().add(200000, start));
  ASSERT_TRUE(peer.windows.estimator().end(start + milliseconds(50), true));
  const std::uint32_t grown = peer.windows.stream_bytes();
  EXPECT_GT(grown, stream_window);
  EXPECT_LE(grown, connection_window / 2);

  ASSERT_TRUE(ReceiveWindows::charge(peer.stream, stream_window));
  peer.windows.give_back(peer.stream, stream_window);
  EXPECT_EQ(peer.updates(), "3:" + std::to_string(grown));
  EXPECT_EQ(peer.stream.receive_window.available(), grown);
}

}  // namespace
}  // namespace trunkline::http::http2
