// SPDX-License-Identifier: MIT
// Frame headers: layout, and every rule for lengths and stream ids, with the code and scope of its error.
#include "http/http2/frame.h"
#include "unit/http/hex.h"

#include <gtest/gtest.h>

#include <array>

namespace trunkline::http::http2 {
namespace {

constexpr std::uint32_t max_bytes = min_max_frame_bytes;

void expect_right(const FrameHeader& header) {
  EXPECT_FALSE(check_frame_header(header, max_bytes)) << to_string(header.type) << " " << header.length;
}

void expect_wrong(const FrameHeader& header, ErrorScope scope, ErrorCode code) {
  const FrameError error = check_frame_header(header, max_bytes);
  EXPECT_EQ(error.scope, scope) << to_string(header.type) << " " << header.length;
  EXPECT_EQ(error.code, code) << to_string(error.code);
  EXPECT_FALSE(error.reason.empty());
}

TEST(Http2FrameHeader, HasTheLayoutOfTheSpecification) {
  const FrameHeader header{.length = 0x123456, .type = FrameType::headers, .flags = 0x25, .stream = 0x789ABCDE};
  std::array<std::byte, frame_header_bytes> bytes;

  write_frame_header(header, bytes.data());

  EXPECT_EQ(to_hex(bytes), "1234560125789abcde");
  EXPECT_EQ(read_frame_header(bytes.data()), header);
}

TEST(Http2FrameHeader, IgnoresTheReservedBit) {
  EXPECT_EQ(read_frame_header(from_hex("0000000000 80000001").data()).stream, 1U);
}

TEST(Http2FrameHeader, RefusesFramesOverTheMaximum) {
  for (std::uint8_t type = 0; type < 20; ++type) {
    expect_wrong({.length = max_bytes + 1, .type = static_cast<FrameType>(type), .stream = 1}, ErrorScope::connection,
                 ErrorCode::frame_size_error);
  }
  expect_right({.length = max_bytes, .type = FrameType::data, .stream = 1});
}

TEST(Http2FrameHeader, AcceptsUnknownTypes) {
  expect_right({.length = 3, .type = static_cast<FrameType>(10), .flags = 0xFF, .stream = 0});
  expect_right({.length = 3, .type = static_cast<FrameType>(0xFF), .stream = 7});
}

TEST(Http2FrameHeader, RequiresAStreamOrNone) {
  for (const FrameType type : {FrameType::data, FrameType::headers, FrameType::continuation}) {
    expect_wrong({.length = 8, .type = type, .stream = 0}, ErrorScope::connection, ErrorCode::protocol_error);
    expect_right({.length = 8, .type = type, .stream = 1});
  }
  expect_wrong({.length = 5, .type = FrameType::priority}, ErrorScope::connection, ErrorCode::protocol_error);
  expect_wrong({.length = 4, .type = FrameType::rst_stream}, ErrorScope::connection, ErrorCode::protocol_error);
  expect_wrong({.length = 4, .type = FrameType::push_promise}, ErrorScope::connection, ErrorCode::protocol_error);
  for (const FrameType type : {FrameType::settings, FrameType::ping, FrameType::goaway}) {
    const std::uint32_t length = type == FrameType::settings ? 12 : 8;
    expect_wrong({.length = length, .type = type, .stream = 1}, ErrorScope::connection, ErrorCode::protocol_error);
    expect_right({.length = length, .type = type});
  }
  expect_right({.length = 4, .type = FrameType::window_update, .stream = 0});
  expect_right({.length = 4, .type = FrameType::window_update, .stream = 1});
}

TEST(Http2FrameHeader, ResetsTheStreamForAPriorityOfWrongLength) {
  expect_right({.length = 5, .type = FrameType::priority, .stream = 1});
  for (const std::uint32_t length : {0U, 4U, 6U}) {
    expect_wrong({.length = length, .type = FrameType::priority, .stream = 1}, ErrorScope::stream,
                 ErrorCode::frame_size_error);
  }
}

TEST(Http2FrameHeader, EndsTheConnectionForOtherWrongLengths) {
  const auto expect_size_error = [](const FrameHeader& header) {
    expect_wrong(header, ErrorScope::connection, ErrorCode::frame_size_error);
  };
  for (const std::uint32_t length : {0U, 3U, 5U}) {
    expect_size_error({.length = length, .type = FrameType::rst_stream, .stream = 1});
    expect_size_error({.length = length, .type = FrameType::window_update, .stream = 1});
    expect_size_error({.length = length, .type = FrameType::window_update});
  }
  expect_size_error({.length = 7, .type = FrameType::ping});
  expect_size_error({.length = 9, .type = FrameType::ping});
  expect_size_error({.length = 7, .type = FrameType::goaway});
  expect_size_error({.length = 3, .type = FrameType::push_promise, .stream = 1});
  expect_size_error({.length = 1, .type = FrameType::settings});
  expect_size_error({.length = 11, .type = FrameType::settings});
  expect_size_error({.length = 6, .type = FrameType::settings, .flags = flag::ack});
}

TEST(Http2FrameHeader, RequiresRoomForWhatTheFlagsAnnounce) {
  const auto expect_least = [](FrameType type, std::uint8_t flags, std::uint32_t least) {
    expect_right({.length = least, .type = type, .flags = flags, .stream = 1});
    expect_wrong({.length = least - 1, .type = type, .flags = flags, .stream = 1}, ErrorScope::connection,
                 ErrorCode::frame_size_error);
  };
  expect_least(FrameType::data, flag::padded, 1);
  expect_least(FrameType::headers, flag::padded, 1);
  expect_least(FrameType::headers, flag::priority, 5);
  expect_least(FrameType::headers, flag::padded | flag::priority, 6);
  expect_least(FrameType::push_promise, flag::padded, 5);
  // These flags mean nothing there.
  expect_right({.length = 0, .type = FrameType::data, .flags = flag::priority, .stream = 1});
  expect_right({.length = 0, .type = FrameType::continuation, .flags = flag::padded, .stream = 1});
}

TEST(Http2FrameHeader, NamesTypesAndErrorCodes) {
  EXPECT_EQ(to_string(FrameType::data), "DATA");
  EXPECT_EQ(to_string(FrameType::continuation), "CONTINUATION");
  EXPECT_EQ(to_string(static_cast<FrameType>(10)), "unknown");
  EXPECT_EQ(to_string(ErrorCode::no_error), "NO_ERROR");
  EXPECT_EQ(to_string(ErrorCode::compression_error), "COMPRESSION_ERROR");
  EXPECT_EQ(to_string(ErrorCode::http_1_1_required), "HTTP_1_1_REQUIRED");
  EXPECT_EQ(to_string(static_cast<ErrorCode>(14)), "unknown");
}

}  // namespace
}  // namespace trunkline::http::http2
