// SPDX-License-Identifier: MIT
// ProtocolSniffer: protocols that are known before, after and during the first bytes.
#include "net/protocol_sniffer.h"

#include "kit/manual_clock.h"
#include "net/memory_transport.h"
#include "stream_peer.h"
#include "wire/detector.h"

#include <gmock/gmock.h>

#include <optional>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::string_view native_preface = "\xF5TRKL\r\n\x01";

class ProtocolSnifferTest : public testing::Test {
 protected:
  void start() {
    auto [near, far] = make_memory_pair(loop_, loop_);
    peer_.emplace(std::move(far));
    ProtocolSniffer::read(std::move(near), 10s, since_, nullptr, is_known_, [this](Result<SniffResult> result) {
      ++calls_;
      if (!result) {
        error_ = result.status();
        return;
      }
      protocol_ = wire::detect(result->bytes).value_or(wire::DetectedProtocol::unknown);
      bytes_ = as_text(result->bytes);
      transport_ = std::move(result->transport);
    });
    EXPECT_EQ(calls_, 0);
  }
  void say(std::string_view text) {
    peer_->send(text);
    settle(loop_);
  }

  kit::ManualClock clock_;
  Loop loop_{{}, &clock_};
  ProtocolSniffer::IsKnown is_known_ = [](const PeerInfo&, ByteSpan bytes) { return wire::detect(bytes).has_value(); };
  base::TimePoint since_ = loop_.now();
  std::optional<StreamPeer> peer_;
  std::unique_ptr<Transport> transport_;
  wire::DetectedProtocol protocol_ = wire::DetectedProtocol::unknown;
  std::string bytes_;
  Status error_;
  int calls_ = 0;
};

TEST_F(ProtocolSnifferTest, MayKnowTheProtocolBeforeAnythingWasRead) {
  is_known_ = [](const PeerInfo& peer, ByteSpan bytes) { return peer.address == "inproc://" && bytes.empty(); };
  start();
  settle(loop_);

  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(bytes_, "");
  ASSERT_NE(transport_, nullptr);
}

TEST_F(ProtocolSnifferTest, ReadsNoMoreThanItsLimit) {
  is_known_ = [](const PeerInfo&, ByteSpan) { return false; };
  start();
  say(std::string(ProtocolSniffer::max_bytes - 1, 'x'));
  EXPECT_EQ(calls_, 0);

  say("yz");

  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(bytes_, std::string(ProtocolSniffer::max_bytes - 1, 'x') + "y");
}

TEST_F(ProtocolSnifferTest, DecidesByteByByte) {
  start();

  for (const char byte : native_preface) say({&byte, 1});

  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(protocol_, wire::DetectedProtocol::native);
  EXPECT_TRUE(native_preface.starts_with(bytes_)) << "no byte is lost or added";
  EXPECT_FALSE(bytes_.empty());
}

TEST_F(ProtocolSnifferTest, RecognisesOtherProtocols) {
  start();

  say("GET /index.html HTTP/1.1\r\n");

  EXPECT_EQ(protocol_, wire::DetectedProtocol::http1);
  EXPECT_TRUE(std::string_view("GET /index.html HTTP/1.1\r\n").starts_with(bytes_));
}

TEST_F(ProtocolSnifferTest, LeavesLaterBytesInTheTransport) {
  start();
  say(std::string(native_preface) + std::string(100, 'x'));
  ASSERT_NE(transport_, nullptr);

  StreamPeer rest(std::move(transport_));
  rest.receive_all();
  settle(loop_);

  EXPECT_EQ(bytes_ + rest.received(), std::string(native_preface) + std::string(100, 'x'));
}

TEST_F(ProtocolSnifferTest, GivesUpAfterItsTimeout) {
  start();
  say("\xF5");
  clock_.advance(9s);
  settle(loop_);
  EXPECT_EQ(calls_, 0);

  clock_.advance(2s);
  settle(loop_);

  EXPECT_EQ(calls_, 1);
  EXPECT_THAT(std::string(error_.message()), HasSubstr("not known within handshake_timeout 10000 ms"));
  peer_->receive_all();
  settle(loop_);
  EXPECT_TRUE(peer_->is_ended()) << "the connection is closed";
}

TEST_F(ProtocolSnifferTest, TheTimeoutCountsFromTheAccept) {
  clock_.advance(9s);
  start();
  settle(loop_);
  EXPECT_EQ(calls_, 0);

  clock_.advance(2s);
  settle(loop_);

  EXPECT_EQ(calls_, 1);
  EXPECT_FALSE(error_.is_ok());
}

TEST_F(ProtocolSnifferTest, ReportsThatTheClientHasClosed) {
  start();
  say("\xF5");

  peer_->destroy();
  settle(loop_);

  EXPECT_EQ(calls_, 1);
  EXPECT_THAT(std::string(error_.message()), HasSubstr("closed after 1 bytes"));
}

TEST_F(ProtocolSnifferTest, DoesNotCallBackFromInsideRead) {
  auto [near, far] = make_memory_pair(loop_, loop_);
  const ByteSpan bytes = as_bytes(native_preface);
  far->write({&bytes, 1});
  int calls = 0;

  ProtocolSniffer::read(std::move(near), 10s, loop_.now(), nullptr, is_known_,
                        [&](const Result<SniffResult>&) { ++calls; });

  EXPECT_EQ(calls, 0);
  settle(loop_);
  EXPECT_EQ(calls, 1);
}

TEST(ProtocolSniffer, IsEndedByWhoeverWaitsForItsProtocol) {
  kit::ManualClock clock;
  Loop loop({}, &clock);
  const auto pending = std::make_shared<PendingConnections>(loop);
  auto [near, far] = make_memory_pair(loop, loop);
  StreamPeer peer(std::move(far));
  int calls = 0;
  ProtocolSniffer::read(
      std::move(near), 10s, loop.now(), pending, [](const PeerInfo&, ByteSpan) { return false; },
      [&](const Result<SniffResult>&) { ++calls; });
  EXPECT_FALSE(pending->empty());

  pending->end_all();
  peer.receive_all();
  settle(loop);

  EXPECT_TRUE(peer.is_ended());
  EXPECT_TRUE(pending->empty());
  EXPECT_EQ(calls, 0);
}

TEST_F(ProtocolSnifferTest, IsPendingUntilItCallsBack) {
  const auto pending = std::make_shared<PendingConnections>(loop_);
  auto [near, far] = make_memory_pair(loop_, loop_);
  const ByteSpan bytes = as_bytes(native_preface);
  far->write({&bytes, 1});
  bool is_pending = true;

  ProtocolSniffer::read(std::move(near), 10s, loop_.now(), pending, is_known_, [&](const Result<SniffResult>&) {
    is_pending = !pending->empty();
    pending->end_all();
  });
  settle(loop_);

  EXPECT_FALSE(is_pending) << "who is called back may end all others";
}

TEST(ProtocolSniffer, EndsWithItsLoop) {
  kit::ManualClock clock;
  int calls = 0;
  {
    Loop loop({}, &clock);
    auto [near, far] = make_memory_pair(loop, loop);
    const auto is_known = [](const PeerInfo&, ByteSpan) { return false; };
    ProtocolSniffer::read(std::move(near), 10s, loop.now(), nullptr, is_known,
                          [&](const Result<SniffResult>&) { ++calls; });
    settle(loop);
  }

  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace trunkline::net
