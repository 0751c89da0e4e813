// SPDX-License-Identifier: MIT
// FrameReader: the preface, the order of frames, and header blocks in parts.
#include "http/http2/frame_reader.h"

#include "http/http2/frame_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::http::http2 {
namespace {

std::string frame(FrameType type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  BufferWriter out;
  append_frame_header(
      {.length = static_cast<std::uint32_t>(payload.size()), .type = type, .flags = flags, .stream = stream}, out);
  out.append(payload);
  return std::string(as_text(out.bytes()));
}

std::string start() { return std::string(client_preface) + frame(FrameType::settings, 0, 0, {}); }

struct Read {
  std::vector<std::string> frames;
  ErrorCode error = ErrorCode::no_error;
};

/// Feeds `bytes` in steps of `step`, and keeps what the reader has not consumed.
Read read_all(const std::string& bytes, std::size_t step = std::string::npos, Sender peer = Sender::client,
              std::uint32_t max_frame_bytes = min_max_frame_bytes) {
  Read read;
  FrameReader reader(1024, peer, max_frame_bytes);
  std::string input;
  for (std::size_t at = 0; at < bytes.size(); at += std::min(step, bytes.size() - at)) {
    input += bytes.substr(at, step);
    for (Frame seen;;) {
      std::size_t consumed = 0;
      const auto outcome = reader.next(as_bytes(input), consumed, seen);
      if (outcome == FrameReader::Outcome::error) {
        read.error = reader.error().code;
        return read;
      }
      if (outcome == FrameReader::Outcome::frame) {
        read.frames.push_back(std::string(to_string(seen.header.type)) + " " + std::to_string(seen.header.stream) +
                              " " + std::string(as_text(seen.payload)));
      }
      input.erase(0, consumed);
      if (outcome == FrameReader::Outcome::needs_input) break;
    }
  }
  return read;
}

TEST(FrameReader, AwaitsNoPrefaceOfAServer) {
  const std::string bytes = frame(FrameType::settings, 0, 0, {}) + frame(FrameType::data, 0, 1, "a");

  const Read read = read_all(bytes, 1, Sender::server);

  EXPECT_EQ(read.frames, (std::vector<std::string>{"SETTINGS 0 ", "DATA 1 a"}));
  EXPECT_EQ(read_all(start(), 1, Sender::server).error, ErrorCode::protocol_error);
  EXPECT_EQ(read_all(frame(FrameType::data, 0, 1, "a"), 1, Sender::server).error, ErrorCode::protocol_error);
}

TEST(FrameReader, ReadsTheSameInPartsOfEverySize) {
  const std::string bytes = start() + frame(FrameType::headers, 0, 1, "ab") +
                            frame(FrameType::continuation, 0, 1, "c") +
                            frame(FrameType::continuation, flag::end_headers, 1, "d") +
                            frame(FrameType::data, flag::padded | flag::end_stream, 1, std::string("\2xyz\0\0", 6)) +
                            frame(FrameType::headers, flag::end_headers, 3, "e");
  const std::vector<std::string> frames{"SETTINGS 0 ", "HEADERS 1 abcd", "DATA 1 xyz", "HEADERS 3 e"};

  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    const Read read = read_all(bytes, step);

    EXPECT_EQ(read.frames, frames) << step;
    EXPECT_EQ(read.error, ErrorCode::no_error) << step;
  }
}

TEST(FrameReader, RefusesAWrongPrefaceAtItsFirstWrongByte) {
  EXPECT_EQ(read_all("PRI * HTTP/2.1").error, ErrorCode::protocol_error);
  EXPECT_EQ(read_all("PRI * HTTP/2.0").error, ErrorCode::no_error);
}

TEST(FrameReader, WantsSettingsFirst) {
  const std::string preface(client_preface);

  EXPECT_EQ(read_all(preface + frame(FrameType::ping, 0, 0, "12345678")).error, ErrorCode::protocol_error);
  EXPECT_EQ(read_all(preface + frame(FrameType::settings, flag::ack, 0, {})).error, ErrorCode::protocol_error);
}

TEST(FrameReader, RefusesOtherFramesWithinABlock) {
  const std::string block = start() + frame(FrameType::headers, 0, 1, "a");

  EXPECT_EQ(read_all(block + frame(FrameType::data, 0, 1, "b")).error, ErrorCode::protocol_error);
  EXPECT_EQ(read_all(block + frame(FrameType::continuation, 0, 3, "b")).error, ErrorCode::protocol_error);
  EXPECT_EQ(read_all(start() + frame(FrameType::continuation, 0, 1, "b")).error, ErrorCode::protocol_error);
}

TEST(FrameReader, LimitsABlockInBytesAndInFrames) {
  const std::string block = start() + frame(FrameType::headers, 0, 1, {});
  std::string empty = block;
  for (int i = 0; i < 100; ++i) empty += frame(FrameType::continuation, 0, 1, {});

  EXPECT_EQ(read_all(empty).error, ErrorCode::enhance_your_calm);
  EXPECT_EQ(read_all(block + frame(FrameType::continuation, 0, 1, std::string(1024, 'x'))).error, ErrorCode::no_error);
  EXPECT_EQ(read_all(block + frame(FrameType::continuation, 0, 1, std::string(1025, 'x'))).error,
            ErrorCode::enhance_your_calm);
}

TEST(FrameReader, RefusesALongFrameByItsHeader) {
  const std::string whole = frame(FrameType::data, 0, 1, std::string(min_max_frame_bytes + 1, 'x'));

  EXPECT_EQ(read_all(start() + whole.substr(0, frame_header_bytes)).error, ErrorCode::frame_size_error);
}

TEST(FrameReader, ReadsFramesUpToTheSizeThatIsAnnounced) {
  constexpr std::uint32_t announced = 50000;
  const std::string data = start() + frame(FrameType::data, 0, 1, std::string(announced, 'x'));
  const std::string longer = start() + frame(FrameType::data, 0, 1, std::string(announced + 1, 'x'));

  for (const std::size_t step : {std::string::npos, std::size_t{16384}}) {
    const Read read = read_all(data, step, Sender::client, announced);
    ASSERT_EQ(read.frames.size(), 2u);
    EXPECT_EQ(read.frames[1], "DATA 1 " + std::string(announced, 'x'));
    EXPECT_EQ(read_all(longer, step, Sender::client, announced).error, ErrorCode::frame_size_error);
  }
}

TEST(FrameReader, ReadsLongerFramesOnceTheyAreAnnounced) {
  FrameReader reader(1024);
  const std::string bytes = start() + frame(FrameType::data, 0, 1, std::string(50000, 'x'));
  std::size_t consumed = 0;
  Frame seen;
  ASSERT_EQ(reader.next(as_bytes(bytes), consumed, seen), FrameReader::Outcome::frame);
  const ByteSpan rest = as_bytes(bytes).subspan(consumed);

  reader.raise_max_frame_bytes(50000);

  EXPECT_EQ(reader.next(rest, consumed, seen), FrameReader::Outcome::frame);
  EXPECT_EQ(seen.payload.size(), 50000u);
  reader.raise_max_frame_bytes(min_max_frame_bytes);
  EXPECT_EQ(reader.max_frame_bytes(), 50000u);
}

TEST(FrameReader, RefusesALongBlockByTheHeaderOfItsFrame) {
  constexpr std::uint32_t announced = 50000;
  const auto read_headers_of = [](std::size_t size) {
    const std::string whole = frame(FrameType::headers, flag::end_headers, 1, std::string(size, 'x'));
    return read_all(start() + whole.substr(0, frame_header_bytes), std::string::npos, Sender::client, announced).error;
  };
  const auto read_block_of = [](std::size_t size) {
    return read_all(start() + frame(FrameType::headers, flag::end_headers, 1, std::string(size, 'x')),
                    std::string::npos, Sender::client, announced)
        .error;
  };

  EXPECT_EQ(read_headers_of(1024), ErrorCode::no_error);
  EXPECT_EQ(read_headers_of(2000), ErrorCode::enhance_your_calm);
  EXPECT_EQ(read_headers_of(announced), ErrorCode::enhance_your_calm);
  EXPECT_EQ(read_headers_of(announced + 1), ErrorCode::frame_size_error);
  EXPECT_EQ(read_block_of(1024), ErrorCode::no_error);
  EXPECT_EQ(read_block_of(1025), ErrorCode::enhance_your_calm);
}

}  // namespace
}  // namespace trunkline::http::http2
