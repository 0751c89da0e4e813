// SPDX-License-Identifier: MIT
// FrameReader: the rules of RFC 6455 for frames, fragments and masks, however the bytes are split.
#include "http/websocket/frame_reader.h"

#include "unit/http/seed.h"
#include "unit/http/websocket/frames_of_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::http::websocket {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Read {
  /// The content of all messages.
  std::string content;
  /// "ping:text", with the content that had come before it: "abc|ping:text".
  std::vector<std::string> controls;
  int empty_frames = 0;
  CloseCode error = CloseCode::normal;
  std::string text;
};

std::string name_of(Opcode opcode) {
  return opcode == Opcode::ping ? "ping" : opcode == Opcode::pong ? "pong" : "close";
}

/// Feeds `bytes` in steps of `step`.
Read read_all(const std::string& bytes, bool from_client = true, std::size_t step = std::string::npos) {
  Read read;
  FrameReader reader(from_client);
  for (std::size_t at = 0; at < bytes.size(); at += std::min(step, bytes.size() - at)) {
    const std::string part = bytes.substr(at, step);
    ByteSpan input = as_bytes(part);
    for (;;) {
      const FrameReader::Outcome outcome = reader.next(input);
      if (outcome == FrameReader::Outcome::needs_input) break;
      if (outcome == FrameReader::Outcome::failed) {
        read.error = reader.error().code;
        read.text = reader.error().text;
        return read;
      }
      if (outcome == FrameReader::Outcome::control) {
        read.controls.push_back(read.content + "|" + name_of(reader.control().opcode) + ":" +
                                std::string(as_text(reader.control().payload)));
        continue;
      }
      const FrameReader::Data& data = reader.data();
      std::vector<std::byte> plain_bytes(data.bytes.size());
      data.mask.apply(plain_bytes.data(), data.bytes.data(), data.bytes.size());
      read.content += as_text(plain_bytes);
      read.empty_frames += data.bytes.empty() ? 1 : 0;
    }
    EXPECT_TRUE(input.empty());
  }
  return read;
}

void expect_refused(const std::string& bytes, CloseCode code, std::string_view text, bool from_client = true) {
  for (const std::size_t step : {std::string::npos, std::size_t{1}}) {
    const Read read = read_all(bytes, from_client, step);
    EXPECT_EQ(read.error, code) << text;
    EXPECT_THAT(read.text, HasSubstr(std::string(text)));
  }
}

TEST(WebSocketFrameReader, ReadsTheExamplesOfTheSpecification) {
  // RFC 6455, section 5.7, as binary messages.
  EXPECT_EQ(read_all("\x82\x05\x48\x65\x6c\x6c\x6f", false).content, "Hello");
  EXPECT_EQ(read_all("\x82\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58").content, "Hello");
  EXPECT_EQ(read_all(std::string("\x02\x03\x48\x65\x6c\x80\x02\x6c\x6f"), false).content, "Hello");
  EXPECT_THAT(read_all("\x89\x05\x48\x65\x6c\x6c\x6f", false).controls, ElementsAre("|ping:Hello"));
  EXPECT_THAT(read_all("\x8a\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58").controls, ElementsAre("|pong:Hello"));
}

TEST(WebSocketFrameReader, ReadsLengthsOfEveryForm) {
  for (const std::size_t size : {0U, 1U, 125U, 126U, 127U, 65535U, 65536U, 70000U}) {
    std::string content(size, 'x');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7);

    EXPECT_EQ(read_all(masked(2, content)).content, content) << size;
    EXPECT_EQ(read_all(masked(2, content), true, 3).content, content) << size;
    EXPECT_EQ(read_all(plain(2, content), false).content, content) << size;
  }
}

TEST(WebSocketFrameReader, ReadsFragmentsWithControlFramesBetweenThem) {
  const std::string bytes = masked(2, "ab", false) + masked(9, "p1") + masked(0, "cd", false) + masked(10, "p2") +
                            masked(0, "", false) + masked(0, "ef") + masked(8, "\x03\xe8");
  for (const std::size_t step : {std::string::npos, std::size_t{1}, std::size_t{5}}) {
    const Read read = read_all(bytes, true, step);

    EXPECT_EQ(read.content, "abcdef");
    EXPECT_THAT(read.controls, ElementsAre("ab|ping:p1", "abcd|pong:p2", "abcdef|close:\x03\xe8"));
    EXPECT_EQ(read.empty_frames, 1);
    EXPECT_EQ(read.error, CloseCode::normal);
  }
}

TEST(WebSocketFrameReader, ReadsControlFramesOfUpTo125Bytes) {
  const std::string longest(125, 'x');

  EXPECT_THAT(read_all(masked(9, longest)).controls, ElementsAre("|ping:" + longest));
  EXPECT_THAT(read_all(masked(9, ""), true, 1).controls, ElementsAre("|ping:"));
  expect_refused(masked(9, longest + "x"), CloseCode::protocol_error, "exceeds 125");
  expect_refused(masked(8, longest + "x"), CloseCode::protocol_error, "exceeds 125");
}

TEST(WebSocketFrameReader, HandsOutContentBeforeItsFrameIsComplete) {
  FrameReader reader(true);
  const std::string bytes = FrameOfText{.payload = std::string(1000, 'x')}.bytes();
  ByteSpan input = as_bytes(bytes).first(8 + 10);

  EXPECT_EQ(reader.next(input), FrameReader::Outcome::data);

  EXPECT_EQ(reader.data().bytes.size(), 10U);
  EXPECT_EQ(reader.next(input), FrameReader::Outcome::needs_input);
}

TEST(WebSocketFrameReader, RefusesReservedBitsAndOpcodes) {
  for (const unsigned bits : {1U, 2U, 4U, 7U}) {
    expect_refused(FrameOfText{.payload = "x", .reserved_bits = bits}.bytes(), CloseCode::protocol_error,
                   "reserved bit");
  }
  for (const unsigned opcode : {3U, 4U, 5U, 6U, 7U, 11U, 12U, 13U, 14U, 15U}) {
    expect_refused(masked(opcode, "x"), CloseCode::protocol_error, "opcode is reserved");
  }
}

TEST(WebSocketFrameReader, RefusesTextMessages) {
  expect_refused(masked(1, "text"), CloseCode::unsupported_data, "binary");
  expect_refused(masked(1, "te", false), CloseCode::unsupported_data, "binary");
  expect_refused(plain(1, "text"), CloseCode::unsupported_data, "binary", false);
}

TEST(WebSocketFrameReader, RefusesClientsWithoutMasksAndServersWithThem) {
  for (const unsigned opcode : {2U, 8U, 9U, 10U}) {
    expect_refused(plain(opcode, "x"), CloseCode::protocol_error, "has no mask", true);
    expect_refused(masked(opcode, "x"), CloseCode::protocol_error, "has a mask", false);
  }
}

TEST(WebSocketFrameReader, RefusesFragmentedControlFrames) {
  for (const unsigned opcode : {8U, 9U, 10U}) {
    expect_refused(masked(opcode, "x", false), CloseCode::protocol_error, "fragmented");
  }
}

TEST(WebSocketFrameReader, RefusesContinuationsWithoutAMessage) {
  expect_refused(masked(0, "x"), CloseCode::protocol_error, "no message to continue");
  expect_refused(masked(0, "x", false), CloseCode::protocol_error, "no message to continue");
  expect_refused(masked(2, "a") + masked(0, "x"), CloseCode::protocol_error, "no message to continue");
  expect_refused(masked(2, "a", false) + masked(0, "b") + masked(0, "x"), CloseCode::protocol_error,
                 "no message to continue");
}

TEST(WebSocketFrameReader, RefusesMessagesWithinMessages) {
  expect_refused(masked(2, "a", false) + masked(2, "b"), CloseCode::protocol_error, "within another");
  expect_refused(masked(2, "a", false) + masked(1, "b"), CloseCode::protocol_error, "within another");
}

TEST(WebSocketFrameReader, RefusesLengthsThatAreTooLongForTheirValue) {
  expect_refused(FrameOfText{.payload = "x", .length_bytes = 2}.bytes(), CloseCode::protocol_error, "than it needs");
  expect_refused(FrameOfText{.payload = std::string(125, 'x'), .length_bytes = 2}.bytes(), CloseCode::protocol_error,
                 "than it needs");
  expect_refused(FrameOfText{.payload = std::string(126, 'x'), .length_bytes = 8}.bytes(), CloseCode::protocol_error,
                 "than it needs");
  expect_refused(FrameOfText{.payload = std::string(65535, 'x'), .length_bytes = 8}.bytes(), CloseCode::protocol_error,
                 "than it needs");
}

TEST(WebSocketFrameReader, RefusesLengthsBeyond63Bits) {
  const std::string bytes = std::string("\x82\xff\x80\0\0\0\0\0\0\0", 10) + "key.";

  expect_refused(bytes, CloseCode::protocol_error, "2^63");
}

TEST(WebSocketFrameReader, TakesHugeLengthsWithoutMemory) {
  const std::string bytes = std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10) + std::string(4, '\0') + "some";

  EXPECT_EQ(read_all(bytes).content, "some");
}

TEST(WebSocketFrameReader, ReadsNothingAfterAnError) {
  FrameReader reader(true);
  const std::string bytes = masked(3, "x") + masked(2, "y");
  ByteSpan input = as_bytes(bytes);

  EXPECT_EQ(reader.next(input), FrameReader::Outcome::failed);

  const std::string good = masked(2, "y");
  input = as_bytes(good);
  EXPECT_EQ(reader.next(input), FrameReader::Outcome::failed);
  EXPECT_EQ(input.size(), good.size());
}

TEST(WebSocketFrameReader, ReadsTheSameHoweverBytesAreSplit) {
  std::mt19937_64 random(seed_of_run());
  for (int round = 0; round < 60; ++round) {
    std::string bytes;
    bool in_message = false;
    for (int frames = 0; frames < 12; ++frames) {
      if (random() % 3 == 0) {
        bytes += masked(9 + random() % 2, std::string(random() % 126, 'c'));
        continue;
      }
      const bool is_last = random() % 2 == 0;
      FrameOfText frame{
          .opcode = in_message ? 0U : 2U, .payload = std::string(random() % 300, 'd'), .is_last = is_last};
      for (char& letter : frame.key) letter = static_cast<char>(random());
      for (char& letter : frame.payload) letter = static_cast<char>(random());
      bytes += frame.bytes();
      in_message = !is_last;
    }
    if (round % 4 == 0) bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);

    const Read whole = read_all(bytes);
    for (const std::size_t step : {std::size_t{1}, 1 + random() % 64}) {
      const Read parts = read_all(bytes, true, step);

      EXPECT_EQ(parts.content, whole.content);
      EXPECT_EQ(parts.controls, whole.controls);
      EXPECT_EQ(parts.error, whole.error);
    }
  }
}

}  // namespace
}  // namespace trunkline::http::websocket
