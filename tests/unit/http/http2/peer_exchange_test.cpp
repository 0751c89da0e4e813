// SPDX-License-Identifier: MIT
// PeerExchange: what SETTINGS, PING and GOAWAY of the peer change, and which of these frames a side writes itself.
#include "http/http2/peer_exchange.h"

#include "http/http2/frame_writer.h"
#include "written_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::http::http2 {
namespace {

using Frame = http2::Frame;

/// A PeerExchange with the frames of its peer, and what it has written.
struct Exchange {
  explicit Exchange(Sender peer = Sender::client) : side(peer) {}

  /// Hands over SETTINGS. The change of the last one is in `change`.
  FrameError settings(std::initializer_list<Setting> list, std::uint8_t flags = 0) {
    BufferWriter whole;
    append_settings({list.begin(), list.size()}, whole);
    return side.on_settings(frame_of(whole, flags), change, out);
  }
  PingAnswer ping(std::string_view payload, bool is_ack) {
    BufferWriter whole;
    append_ping(read_ping(as_bytes(payload)), is_ack, whole);
    return side.on_ping(frame_of(whole, is_ack ? flag::ack : std::uint8_t{0}), out);
  }
  FrameError goaway(std::uint32_t last, ErrorCode code = ErrorCode::no_error, std::string_view text = {}) {
    BufferWriter whole;
    append_goaway(last, code, as_bytes(text), whole);
    return side.on_goaway(frame_of(whole, 0));
  }
  /// Takes what has been written since the last call.
  std::vector<WrittenFrame> written() {
    base::OutputQueue queue;
    queue.append(out.bytes());
    out.clear();
    return written_frames(queue);
  }

  static Frame frame_of(const BufferWriter& whole, std::uint8_t flags) {
    Frame frame{.header = read_frame_header(whole.bytes().data()),
                .payload = whole.bytes().subspan(frame_header_bytes),
                .error = {}};
    frame.header.flags |= flags;
    return frame;
  }

  PeerExchange side;
  SettingsChange change;
  BufferWriter out;
};

/// The payload of the ping among the frames, which are no more than one ping and a GOAWAY before it.
std::string ping_payload_of(const std::vector<WrittenFrame>& frames) {
  EXPECT_FALSE(frames.empty());
  if (frames.empty()) return std::string(ping_bytes, '\0');
  EXPECT_EQ(frames.back().header, (FrameHeader{.length = ping_bytes, .type = FrameType::ping}));
  return frames.back().payload;
}

std::string keepalive_payload() {
  Exchange exchange;
  PeerExchange::write_keepalive(exchange.out);
  return ping_payload_of(exchange.written());
}

std::string sample_payload() {
  Exchange exchange;
  PeerExchange::write_sample(exchange.out);
  return ping_payload_of(exchange.written());
}

std::string goaway_payload() {
  Exchange exchange;
  exchange.side.begin_goaway(exchange.out);
  return ping_payload_of(exchange.written());
}

void expect_goaway(const WrittenFrame& frame, std::uint32_t last, ErrorCode code, std::string_view reason) {
  ASSERT_EQ(frame.header.type, FrameType::goaway);
  EXPECT_EQ(frame.header.stream, 0u);
  EXPECT_EQ(frame.header.flags, 0u);
  ASSERT_GE(frame.payload.size(), 8u);
  const GoawayPayload payload = read_goaway(as_bytes(frame.payload));
  EXPECT_EQ(payload.last_stream, last);
  EXPECT_EQ(payload.code, code);
  EXPECT_EQ(as_text(payload.debug_data), reason);
}

TEST(PeerExchange, GreetsWithSettingsAndThenTheWindow) {
  const std::vector<Setting> settings{{SettingId::enable_push, 0}, {SettingId::initial_window_size, 1 << 20}};
  Exchange exchange;

  PeerExchange::write_greeting(settings, 1 << 20, exchange.out);

  const std::vector<WrittenFrame> frames = exchange.written();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].header, (FrameHeader{.length = 2 * setting_bytes, .type = FrameType::settings}));
  SettingsReader reader(as_bytes(frames[0].payload));
  std::vector<Setting> read;
  for (Setting setting; reader.next(setting);) read.push_back(setting);
  EXPECT_EQ(read, settings);
  EXPECT_EQ(frames[1].header, (FrameHeader{.length = 4, .type = FrameType::window_update}));
  EXPECT_EQ(frames[1].number(), (1u << 20) - 65535);
}

/// A window cannot be made smaller than the one that every connection begins with, and an update by 0 is an error.
TEST(PeerExchange, GreetsWithoutAWindowThatIsNoLargerThanTheFirstOne) {
  for (const std::uint32_t window : {0u, 1000u, 65535u}) {
    Exchange exchange;
    PeerExchange::write_greeting({}, window, exchange.out);
    const std::vector<WrittenFrame> frames = exchange.written();
    ASSERT_EQ(frames.size(), 1u) << window;
    EXPECT_EQ(frames[0].header, FrameHeader{.type = FrameType::settings}) << window;
  }
  Exchange exchange;
  PeerExchange::write_greeting({}, 65536, exchange.out);
  const std::vector<WrittenFrame> frames = exchange.written();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[1].number(), 1u);
}

TEST(PeerExchange, BeginsWithTheSettingsThatHoldBeforeAny) {
  const Exchange exchange;
  EXPECT_FALSE(exchange.side.has_settings());
  EXPECT_EQ(exchange.side.peer().header_table_size, 4096u);
  EXPECT_EQ(exchange.side.peer().initial_window_size, 65535u);
  EXPECT_EQ(exchange.side.peer().max_frame_size, 16384u);
  EXPECT_EQ(exchange.side.peer().max_header_list_size, 0xFFFFFFFFu);
}

TEST(PeerExchange, AppliesSettingsAndAcknowledgesThem) {
  Exchange exchange;

  EXPECT_FALSE(exchange.settings({{SettingId::initial_window_size, 1000},
                                  {SettingId::max_frame_size, 20000},
                                  {SettingId::max_header_list_size, 300},
                                  {SettingId::max_concurrent_streams, 7},
                                  {static_cast<SettingId>(0xABCD), 1}}));

  EXPECT_TRUE(exchange.side.has_settings());
  EXPECT_EQ(exchange.side.peer().initial_window_size, 1000u);
  EXPECT_EQ(exchange.side.peer().max_frame_size, 20000u);
  EXPECT_EQ(exchange.side.peer().max_header_list_size, 300u);
  EXPECT_EQ(exchange.side.peer().max_concurrent_streams, 7u);
  const std::vector<WrittenFrame> frames = exchange.written();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].header, (FrameHeader{.type = FrameType::settings, .flags = flag::ack}));
}

TEST(PeerExchange, AcknowledgesEachSettingsEvenAnEmptyOne) {
  Exchange exchange;
  EXPECT_FALSE(exchange.settings({}));
  EXPECT_TRUE(exchange.side.has_settings());
  EXPECT_EQ(exchange.written().size(), 1u);
  EXPECT_FALSE(exchange.settings({}));
  EXPECT_EQ(exchange.written().size(), 1u);
}

/// The change of an acknowledgement is none: both of its values are those that hold.
TEST(PeerExchange, TakesAnAcknowledgementForNoSettings) {
  Exchange exchange;
  EXPECT_FALSE(exchange.settings({}, flag::ack));
  EXPECT_FALSE(exchange.side.has_settings());
  EXPECT_TRUE(exchange.written().empty());

  ASSERT_FALSE(exchange.settings({{SettingId::initial_window_size, 9}, {SettingId::header_table_size, 10}}));
  static_cast<void>(exchange.written());
  EXPECT_FALSE(exchange.settings({}, flag::ack));
  EXPECT_EQ(exchange.change.old_window, 9u);
  EXPECT_EQ(exchange.change.least_table_bytes, 10u);
  EXPECT_TRUE(exchange.written().empty());
}

/// What is wrong is not acknowledged.
TEST(PeerExchange, RefusesSettingsWithAWrongValue) {
  const auto expect_refused = [](Sender peer, const Setting& wrong, ErrorCode code) {
    Exchange exchange(peer);
    const FrameError error = exchange.settings({{SettingId::max_concurrent_streams, 1}, wrong});
    EXPECT_EQ(error.scope, ErrorScope::connection);
    EXPECT_EQ(error.code, code);
    EXPECT_TRUE(exchange.written().empty());
  };
  expect_refused(Sender::client, {SettingId::initial_window_size, 0x80000000}, ErrorCode::flow_control_error);
  expect_refused(Sender::client, {SettingId::max_frame_size, 16383}, ErrorCode::protocol_error);
  expect_refused(Sender::client, {SettingId::max_frame_size, 1 << 24}, ErrorCode::protocol_error);
  expect_refused(Sender::client, {SettingId::enable_push, 2}, ErrorCode::protocol_error);
  expect_refused(Sender::server, {SettingId::enable_push, 1}, ErrorCode::protocol_error);

  Exchange client;
  EXPECT_FALSE(client.settings({{SettingId::enable_push, 1}}));
}

/// Streams move by the difference, however often one SETTINGS names the window.
TEST(PeerExchange, TellsTheWindowFromBefore) {
  Exchange exchange;
  ASSERT_FALSE(exchange.settings({{SettingId::initial_window_size, 1}, {SettingId::initial_window_size, 0x7FFFFFFF}}));
  EXPECT_EQ(exchange.change.old_window, 65535u);
  EXPECT_EQ(exchange.side.peer().initial_window_size, 0x7FFFFFFFu);

  ASSERT_FALSE(exchange.settings({{SettingId::max_frame_size, 16384}}));
  EXPECT_EQ(exchange.change.old_window, 0x7FFFFFFFu);
  EXPECT_EQ(exchange.side.peer().initial_window_size, 0x7FFFFFFFu);
}

TEST(PeerExchange, TellsTheLeastTableSizeOnTheWay) {
  Exchange exchange;
  const auto least = [&exchange](std::initializer_list<Setting> list) {
    EXPECT_FALSE(exchange.settings(list));
    return exchange.change.least_table_bytes;
  };
  constexpr SettingId table = SettingId::header_table_size;

  EXPECT_EQ(least({{table, 8192}}), 4096u);
  EXPECT_EQ(least({{table, 100}, {table, 0}, {table, 5000}}), 0u);
  EXPECT_EQ(exchange.side.peer().header_table_size, 5000u);
  // The way begins at the size from before, not at 4096.
  EXPECT_EQ(least({{table, 6000}, {table, 7000}}), 5000u);
  EXPECT_EQ(least({{table, 300}}), 300u);
  EXPECT_EQ(least({{SettingId::max_concurrent_streams, 1}}), 300u);
}

TEST(PeerExchange, EchoesThePayloadOfAPing) {
  Exchange exchange;
  for (const std::string& payload :
       {std::string("\0\0\0\0\0\0\0\0", 8), std::string("\xFF\x01\0\x7F\x80\xFE\0\n", 8), std::string("12345678")}) {
    EXPECT_EQ(exchange.ping(payload, false), PingAnswer::none);
    const std::vector<WrittenFrame> frames = exchange.written();
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].header, (FrameHeader{.length = ping_bytes, .type = FrameType::ping, .flags = flag::ack}));
    EXPECT_EQ(frames[0].payload, payload);
  }
}

/// A peer that sends this side's own payloads asks a question all the same.
TEST(PeerExchange, EchoesAPingWithAPayloadOfItsOwn) {
  for (const std::string& payload : {goaway_payload(), sample_payload(), keepalive_payload()}) {
    Exchange exchange;
    exchange.side.begin_goaway(exchange.out);
    static_cast<void>(exchange.written());

    EXPECT_EQ(exchange.ping(payload, false), PingAnswer::none);
    const std::vector<WrittenFrame> frames = exchange.written();
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_TRUE(frames[0].header.has(flag::ack));
    EXPECT_EQ(frames[0].payload, payload);
  }
}

TEST(PeerExchange, TellsTheAnswersToItsPingsApart) {
  EXPECT_NE(goaway_payload(), sample_payload());
  EXPECT_NE(goaway_payload(), keepalive_payload());
  EXPECT_NE(sample_payload(), keepalive_payload());

  Exchange exchange;
  exchange.side.begin_goaway(exchange.out);
  static_cast<void>(exchange.written());
  EXPECT_EQ(exchange.ping(sample_payload(), true), PingAnswer::sample);
  EXPECT_EQ(exchange.ping(keepalive_payload(), true), PingAnswer::none);
  EXPECT_EQ(exchange.ping(goaway_payload(), true), PingAnswer::goaway);
  // Nothing answers an answer.
  EXPECT_TRUE(exchange.written().empty());
}

TEST(PeerExchange, IgnoresAnswersThatDifferFromEachOfItsPings) {
  Exchange exchange;
  exchange.side.begin_goaway(exchange.out);
  static_cast<void>(exchange.written());
  for (std::string payload : {goaway_payload(), sample_payload(), keepalive_payload()}) {
    for (std::size_t i = 0; i < payload.size(); ++i) {
      std::string other = payload;
      other[i] = static_cast<char>(other[i] ^ 0x40);
      EXPECT_EQ(exchange.ping(other, true), PingAnswer::none) << payload << " at " << i;
    }
  }
  EXPECT_TRUE(exchange.written().empty());
}

/// A peer that guesses the payload does not end a drain that has not begun.
TEST(PeerExchange, TakesTheAnswerToAGoawayOnlyOnceThatHasBegun) {
  Exchange exchange;
  EXPECT_EQ(exchange.ping(goaway_payload(), true), PingAnswer::none);
  exchange.side.begin_goaway(exchange.out);
  EXPECT_EQ(exchange.ping(goaway_payload(), true), PingAnswer::goaway);
}

TEST(PeerExchange, BeginsAGoawayThatLosesNoStream) {
  Exchange exchange;
  EXPECT_FALSE(exchange.side.has_begun_goaway());

  exchange.side.begin_goaway(exchange.out);

  EXPECT_TRUE(exchange.side.has_begun_goaway());
  EXPECT_FALSE(exchange.side.has_sent_goaway());
  const std::vector<WrittenFrame> frames = exchange.written();
  ASSERT_EQ(frames.size(), 2u);
  expect_goaway(frames[0], max_stream_id, ErrorCode::no_error, "");
  EXPECT_EQ(frames[1].header, (FrameHeader{.length = ping_bytes, .type = FrameType::ping}));
}

TEST(PeerExchange, EndsAGoawayWithTheLastStream) {
  Exchange exchange;
  exchange.side.begin_goaway(exchange.out);
  static_cast<void>(exchange.written());

  exchange.side.write_goaway(41, ErrorCode::no_error, {}, exchange.out);

  EXPECT_TRUE(exchange.side.has_sent_goaway());
  const std::vector<WrittenFrame> frames = exchange.written();
  ASSERT_EQ(frames.size(), 1u);
  expect_goaway(frames[0], 41, ErrorCode::no_error, "");
}

TEST(PeerExchange, EndsAConnectionInOneStep) {
  Exchange exchange;
  exchange.side.write_goaway(0, ErrorCode::enhance_your_calm, "too many pings", exchange.out);
  EXPECT_TRUE(exchange.side.has_sent_goaway());
  EXPECT_FALSE(exchange.side.has_begun_goaway());
  const std::vector<WrittenFrame> frames = exchange.written();
  ASSERT_EQ(frames.size(), 1u);
  expect_goaway(frames[0], 0, ErrorCode::enhance_your_calm, "too many pings");
}

/// The peer has perhaps repeated the streams after the one that was named first.
TEST(PeerExchange, NamesNoLaterStreamThanBefore) {
  Exchange exchange;
  for (const std::uint32_t last : {max_stream_id, 9u, 11u, 9u, 5u, 7u, 0u, 3u}) {
    exchange.side.write_goaway(last, ErrorCode::no_error, {}, exchange.out);
  }
  std::vector<std::uint32_t> named;
  for (const WrittenFrame& frame : exchange.written())
    named.push_back(read_goaway(as_bytes(frame.payload)).last_stream);
  EXPECT_EQ(named, (std::vector<std::uint32_t>{max_stream_id, 9, 9, 9, 5, 5, 0, 0}));
}

TEST(PeerExchange, CutsALongReason) {
  for (const std::size_t size : {std::size_t{511}, std::size_t{512}, std::size_t{513}, std::size_t{100000}}) {
    Exchange exchange;
    exchange.side.write_goaway(1, ErrorCode::protocol_error, std::string(size, 'r'), exchange.out);
    const std::vector<WrittenFrame> frames = exchange.written();
    ASSERT_EQ(frames.size(), 1u);
    expect_goaway(frames[0], 1, ErrorCode::protocol_error, std::string(std::min(size, std::size_t{512}), 'r'));
  }
}

TEST(PeerExchange, KnowsTheLastStreamAtWhichThePeerLooks) {
  Exchange exchange(Sender::server);
  EXPECT_FALSE(exchange.side.has_peer_goaway());

  // The first of two steps, and then lower ones.
  for (const std::uint32_t last : {max_stream_id, max_stream_id, 7u, 7u, 0u, 0u}) {
    EXPECT_FALSE(exchange.goaway(last, ErrorCode::no_error, "bye"));
    EXPECT_TRUE(exchange.side.has_peer_goaway());
    EXPECT_EQ(exchange.side.peer_goaway(), last);
  }
  EXPECT_FALSE(exchange.side.has_sent_goaway());
  EXPECT_TRUE(exchange.written().empty());
}

TEST(PeerExchange, RefusesAPeersGoawayThatRises) {
  Exchange exchange(Sender::server);
  ASSERT_FALSE(exchange.goaway(4));

  for (const std::uint32_t last : {5u, max_stream_id}) {
    const FrameError error = exchange.goaway(last);
    EXPECT_EQ(error.scope, ErrorScope::connection);
    EXPECT_EQ(error.code, ErrorCode::protocol_error);
    EXPECT_EQ(exchange.side.peer_goaway(), 4u);
  }
  EXPECT_FALSE(exchange.goaway(3));
  EXPECT_EQ(exchange.side.peer_goaway(), 3u);
}

/// The reserved bit of the id is ignored, so that all bits do not stand for no GOAWAY.
TEST(PeerExchange, TakesAGoawayWithAllBitsOfTheId) {
  Exchange exchange(Sender::server);
  EXPECT_FALSE(exchange.goaway(0xFFFFFFFF));
  EXPECT_TRUE(exchange.side.has_peer_goaway());
  EXPECT_EQ(exchange.side.peer_goaway(), max_stream_id);
}

}  // namespace
}  // namespace trunkline::http::http2
