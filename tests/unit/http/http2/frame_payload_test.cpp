// SPDX-License-Identifier: MIT
// Payloads of frames: what writers write is read back; padding, priorities, ids and increments that are wrong.
#include "http/http2/frame_payload.h"
#include "http/http2/frame_writer.h"
#include "unit/http/hex.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::http2 {
namespace {

/// The first frame in `out`, whose payload is a view.
struct FirstFrame {
  explicit FirstFrame(ByteSpan bytes)
      : header(read_frame_header(bytes.data())), payload(bytes.subspan(frame_header_bytes, header.length)) {
    EXPECT_FALSE(check_frame_header(header, min_max_frame_bytes));
  }
  FrameHeader header;
  ByteSpan payload;
};

void expect_error(const FrameError& error, ErrorScope scope, ErrorCode code) {
  EXPECT_EQ(error.scope, scope) << error.reason;
  EXPECT_EQ(error.code, code) << error.reason;
}

/// A header for a payload that a test writes by hand.
FrameHeader header_of(FrameType type, const std::vector<std::byte>& payload, std::uint8_t flags = 0,
                      std::uint32_t stream = 1) {
  const FrameHeader header{
      .length = static_cast<std::uint32_t>(payload.size()), .type = type, .flags = flags, .stream = stream};
  EXPECT_FALSE(check_frame_header(header, min_max_frame_bytes));
  return header;
}

TEST(Http2Payload, ReadsDataThatWasWritten) {
  BufferWriter out;
  append_data(5, as_bytes("hello"), true, out);

  const FirstFrame frame(out.bytes());
  ByteSpan data;

  EXPECT_FALSE(read_data(frame.header, frame.payload, data));
  EXPECT_EQ(as_text(data), "hello");
  EXPECT_EQ(frame.header, (FrameHeader{.length = 5, .type = FrameType::data, .flags = flag::end_stream, .stream = 5}));
}

TEST(Http2Payload, RemovesPadding) {
  const std::vector<std::byte> payload = from_hex("02 6162 0000");
  ByteSpan data;

  EXPECT_FALSE(read_data(header_of(FrameType::data, payload, flag::padded), payload, data));
  EXPECT_EQ(as_text(data), "ab");

  const std::vector<std::byte> only_padding = from_hex("03 000000");
  EXPECT_FALSE(read_data(header_of(FrameType::data, only_padding, flag::padded), only_padding, data));
  EXPECT_TRUE(data.empty());
}

TEST(Http2Payload, RefusesPaddingThatExceedsThePayload) {
  const std::vector<std::byte> payload = from_hex("05 6162 0000");
  ByteSpan data;
  HeadersPayload headers;
  PushPromisePayload promise;

  expect_error(read_data(header_of(FrameType::data, payload, flag::padded), payload, data), ErrorScope::connection,
               ErrorCode::protocol_error);
  expect_error(read_headers(header_of(FrameType::headers, payload, flag::padded), payload, headers),
               ErrorScope::connection, ErrorCode::protocol_error);
  expect_error(read_push_promise(header_of(FrameType::push_promise, payload, flag::padded), payload, promise),
               ErrorScope::connection, ErrorCode::protocol_error);
}

TEST(Http2Payload, RefusesPaddingThatReachesIntoTheFields) {
  const std::vector<std::byte> payload = from_hex("02 00000002 10 00");
  HeadersPayload headers;
  PushPromisePayload promise;

  expect_error(read_headers(header_of(FrameType::headers, payload, flag::padded | flag::priority), payload, headers),
               ErrorScope::connection, ErrorCode::protocol_error);
  const std::vector<std::byte> promised = from_hex("01 00000002");
  expect_error(read_push_promise(header_of(FrameType::push_promise, promised, flag::padded), promised, promise),
               ErrorScope::connection, ErrorCode::protocol_error);
}

TEST(Http2Payload, ReadsHeadersWithPaddingAndPriority) {
  const std::vector<std::byte> payload = from_hex("02 80000003 0f 8286 0000");
  HeadersPayload headers;

  EXPECT_FALSE(read_headers(header_of(FrameType::headers, payload, flag::padded | flag::priority), payload, headers));

  EXPECT_EQ(to_hex(headers.fragment), "8286");
  EXPECT_TRUE(headers.has_priority);
  EXPECT_EQ(headers.priority.dependency, 3U);
  EXPECT_EQ(headers.priority.weight, 16U);
  EXPECT_TRUE(headers.priority.is_exclusive);
}

TEST(Http2Payload, ResetsAStreamThatDependsOnItself) {
  const std::vector<std::byte> payload = from_hex("00000001 ff 8286");
  HeadersPayload headers;
  Priority priority;

  expect_error(read_headers(header_of(FrameType::headers, payload, flag::priority), payload, headers),
               ErrorScope::stream, ErrorCode::protocol_error);
  EXPECT_EQ(to_hex(headers.fragment), "8286");
  const std::vector<std::byte> alone = from_hex("80000001 ff");
  expect_error(read_priority(header_of(FrameType::priority, alone), alone, priority), ErrorScope::stream,
               ErrorCode::protocol_error);
}

TEST(Http2Payload, CutsLongHeaderBlocksIntoContinuations) {
  const std::string block(2 * min_max_frame_bytes + 10, 'b');
  BufferWriter out;
  append_headers(3, as_bytes(block), true, min_max_frame_bytes, out);

  std::string joined;
  std::vector<FrameHeader> headers;
  for (ByteSpan rest = out.bytes(); !rest.empty();) {
    const FirstFrame frame(rest);
    headers.push_back(frame.header);
    joined += as_text(frame.payload);
    rest = rest.subspan(frame_header_bytes + frame.header.length);
  }

  EXPECT_EQ(joined, block);
  const std::vector<FrameHeader> expected{
      {.length = min_max_frame_bytes, .type = FrameType::headers, .flags = flag::end_stream, .stream = 3},
      {.length = min_max_frame_bytes, .type = FrameType::continuation, .stream = 3},
      {.length = 10, .type = FrameType::continuation, .flags = flag::end_headers, .stream = 3}};
  EXPECT_EQ(headers, expected);
}

TEST(Http2Payload, WritesBlocksThatFitInOneFrame) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{min_max_frame_bytes}}) {
    BufferWriter out;
    append_headers(3, as_bytes(std::string(size, 'b')), false, min_max_frame_bytes, out);

    EXPECT_EQ(out.size(), frame_header_bytes + size);
    EXPECT_EQ(read_frame_header(out.bytes().data()).flags, flag::end_headers);
  }
}

TEST(Http2Payload, ReadsPushPromisesThatWereWritten) {
  const std::string block(min_max_frame_bytes, 'b');
  BufferWriter out;
  append_push_promise(3, 6, as_bytes(block), min_max_frame_bytes, out);

  const FirstFrame frame(out.bytes());
  PushPromisePayload promise;

  EXPECT_FALSE(read_push_promise(frame.header, frame.payload, promise));
  EXPECT_EQ(promise.promised_stream, 6U);
  EXPECT_EQ(promise.fragment.size(), min_max_frame_bytes - 4);
  EXPECT_FALSE(frame.header.has(flag::end_headers));
  const FirstFrame rest(out.bytes().subspan(frame_header_bytes + min_max_frame_bytes));
  EXPECT_EQ(rest.header,
            (FrameHeader{.length = 4, .type = FrameType::continuation, .flags = flag::end_headers, .stream = 3}));
}

TEST(Http2Payload, RefusesPromisesOfStreamsThatAreNotTheServers) {
  PushPromisePayload promise;
  for (const char* promised : {"00000000", "80000000", "00000003"}) {
    const std::vector<std::byte> payload = from_hex(promised);

    expect_error(read_push_promise(header_of(FrameType::push_promise, payload), payload, promise),
                 ErrorScope::connection, ErrorCode::protocol_error);
  }
}

TEST(Http2Payload, ReadsPrioritiesThatWereWritten) {
  BufferWriter out;
  append_priority(3, {.dependency = 7, .weight = 256, .is_exclusive = true}, out);

  const FirstFrame frame(out.bytes());
  Priority priority;

  EXPECT_FALSE(read_priority(frame.header, frame.payload, priority));
  EXPECT_EQ(priority.dependency, 7U);
  EXPECT_EQ(priority.weight, 256U);
  EXPECT_TRUE(priority.is_exclusive);
}

TEST(Http2Payload, ReadsResetsThatWereWritten) {
  BufferWriter out;
  append_rst_stream(3, ErrorCode::refused_stream, out);

  const FirstFrame frame(out.bytes());

  EXPECT_EQ(frame.header, (FrameHeader{.length = 4, .type = FrameType::rst_stream, .stream = 3}));
  EXPECT_EQ(read_rst_stream(frame.payload), ErrorCode::refused_stream);
}

TEST(Http2Payload, ReadsPingsThatWereWritten) {
  const PingValue value{std::byte{1}, std::byte{2}, std::byte{3}};
  BufferWriter out;
  append_ping(value, true, out);

  const FirstFrame frame(out.bytes());

  EXPECT_EQ(read_ping(frame.payload), value);
  EXPECT_TRUE(frame.header.has(flag::ack));
}

TEST(Http2Payload, ReadsGoawaysThatWereWritten) {
  BufferWriter out;
  append_goaway(max_stream_id, ErrorCode::enhance_your_calm, as_bytes("too_many_pings"), out);

  const FirstFrame frame(out.bytes());
  const GoawayPayload goaway = read_goaway(frame.payload);

  EXPECT_EQ(goaway.last_stream, max_stream_id);
  EXPECT_EQ(goaway.code, ErrorCode::enhance_your_calm);
  EXPECT_EQ(as_text(goaway.debug_data), "too_many_pings");
}

TEST(Http2Payload, ReadsWindowUpdatesThatWereWritten) {
  BufferWriter out;
  append_window_update(3, 0x7FFFFFFF, out);

  const FirstFrame frame(out.bytes());
  std::uint32_t increment = 0;

  EXPECT_FALSE(read_window_update(frame.header, frame.payload, increment));
  EXPECT_EQ(increment, 0x7FFFFFFFU);
}

TEST(Http2Payload, RefusesWindowUpdatesOfZero) {
  const std::vector<std::byte> payload = from_hex("80000000");
  std::uint32_t increment = 0;

  expect_error(read_window_update(header_of(FrameType::window_update, payload), payload, increment), ErrorScope::stream,
               ErrorCode::protocol_error);
  expect_error(read_window_update(header_of(FrameType::window_update, payload, 0, 0), payload, increment),
               ErrorScope::connection, ErrorCode::protocol_error);
}

}  // namespace
}  // namespace trunkline::http::http2
