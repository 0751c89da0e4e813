// SPDX-License-Identifier: MIT
// Chunks, split anywhere, and what is refused of them.
#include "http/http1/chunk_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::http1 {
namespace {

using Outcome = ChunkReader::Outcome;

/// Hands the reader `text` in parts of `part` bytes.
struct Reading {
  explicit Reading(const std::string& text, std::size_t part = std::string::npos) : reader({}) {
    std::string input;
    std::size_t given = 0;
    for (;;) {
      std::size_t consumed = 0;
      outcome = reader.read(input, consumed);
      if (outcome == Outcome::data) content += reader.data();
      if (outcome == Outcome::end) trailers = reader.trailers().fields.size();
      input.erase(0, consumed);
      if (outcome == Outcome::end || outcome == Outcome::refused) break;
      if (outcome == Outcome::data) continue;
      if (given == text.size()) break;
      const std::size_t size = std::min(part, text.size() - given);
      input += text.substr(given, size);
      given += size;
    }
    rest = input + text.substr(given);
  }

  ChunkReader reader;
  Outcome outcome = Outcome::needs_input;
  std::string content;
  std::string rest;
  std::size_t trailers = 0;
};

MessageError error_of(const std::string& text) {
  const Reading reading(text);
  EXPECT_EQ(reading.outcome == Outcome::refused, reading.reader.error() != MessageError::none) << text;
  return reading.reader.error();
}

TEST(ChunkReader, ReadsContentSplitAnywhere) {
  const std::string text = "5\r\nhello\r\n1;a=\"b\";c\r\n,\r\n00A\r\n 123456789\r\n0\r\nX-Sum: 1\r\nB: c\r\n\r\nnext";
  for (std::size_t part = 1; part <= text.size(); ++part) {
    const Reading reading(text, part);

    EXPECT_EQ(reading.outcome, Outcome::end) << part;
    EXPECT_EQ(reading.content, "hello, 123456789") << part;
    EXPECT_EQ(reading.trailers, 2U) << part;
    EXPECT_EQ(reading.rest, "next") << part;
  }
}

TEST(ChunkReader, ReadsEmptyContent) {
  const Reading reading("0\r\n\r\n");

  EXPECT_EQ(reading.outcome, Outcome::end);
  EXPECT_EQ(reading.content, "");
}

TEST(ChunkReader, ReadsAnotherContentAfterReset) {
  Reading reading("3\r\nabc\r\n0\r\nA: b\r\n\r\n");
  std::size_t consumed = 0;

  reading.reader.reset();

  EXPECT_EQ(reading.reader.read("1\r\nx", consumed), Outcome::data);
  EXPECT_EQ(reading.reader.data(), "x");
  EXPECT_EQ(consumed, 4U);
  EXPECT_TRUE(reading.reader.trailers().fields.empty());
}

TEST(ChunkReader, RefusesMalformedSizes) {
  for (const char* size : {"", "g", "-1", "+1", " 1", "0x5", "5 ", "5\t", "5 ;a", "5,", "5\r", "8000000000000000",
                           "10000000000000000", "FFFFFFFFFFFFFFFFF", ";a", "5;a\x01", "5;\r"}) {
    EXPECT_EQ(error_of(std::string(size) + "\r\nhello\r\n0\r\n\r\n"), MessageError::bad_chunk_size) << size;
  }
}

TEST(ChunkReader, TakesTheLongestSize) {
  ChunkReader reader({});
  std::size_t consumed = 0;

  EXPECT_EQ(reader.read("07FFFFFFFFFFFFFFF\r\nx", consumed), Outcome::data);
  EXPECT_EQ(reader.left(), 0x7FFFFFFFFFFFFFFEU);
}

TEST(ChunkReader, RefusesBareLineFeeds) {
  EXPECT_EQ(error_of("5\nhello\r\n0\r\n\r\n"), MessageError::bare_line_feed);
  EXPECT_EQ(error_of("5;a\nhello\r\n0\r\n\r\n"), MessageError::bare_line_feed);
  EXPECT_EQ(error_of("\nhello"), MessageError::bare_line_feed);
  EXPECT_EQ(error_of("0\r\nA: b\n\r\n"), MessageError::bare_line_feed);
  EXPECT_EQ(error_of("0\r\n\n"), MessageError::bare_line_feed);
}

TEST(ChunkReader, RefusesContentThatIsLongerThanItsChunk) {
  for (const char* text : {"5\r\nhello0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r0\r\n\r\n", "4\r\nhello\r\n"}) {
    EXPECT_EQ(error_of(text), MessageError::chunk_without_end) << text;
  }
}

TEST(ChunkReader, LimitsTheLineOfASize) {
  const std::string line = "5;" + std::string(ChunkReader::max_line_bytes - 4, 'a') + "\r\n";
  ASSERT_EQ(line.size(), ChunkReader::max_line_bytes);

  EXPECT_EQ(error_of(line + "hello\r\n0\r\n\r\n"), MessageError::none);
  EXPECT_EQ(error_of("5;a" + line.substr(2) + "hello\r\n0\r\n\r\n"), MessageError::chunk_line_too_long);
  EXPECT_EQ(error_of(std::string(ChunkReader::max_line_bytes, '0')), MessageError::chunk_line_too_long);
}

TEST(ChunkReader, LimitsAllExtensions) {
  const std::string chunk = "1;" + std::string(127, 'a') + "\r\nx\r\n";
  std::string text;
  for (int i = 0; i < 128; ++i) text += chunk;

  EXPECT_EQ(error_of(text + "0\r\n\r\n"), MessageError::none);
  EXPECT_EQ(error_of(text + "0;a\r\n\r\n"), MessageError::too_many_extensions);
}

TEST(ChunkReader, RefusesTrailersThatSayHowTheMessageIsSent) {
  for (const char* field : {"Content-Length: 5", "transfer-encoding: chunked", "Host: h", "Connection: close"}) {
    EXPECT_EQ(error_of("0\r\n" + std::string(field) + "\r\n\r\n"), MessageError::framing_field_in_trailers) << field;
  }
}

TEST(ChunkReader, RefusesMalformedTrailers) {
  EXPECT_EQ(error_of("0\r\nA : b\r\n\r\n"), MessageError::space_before_colon);
  EXPECT_EQ(error_of("0\r\nA: b\r\n c\r\n\r\n"), MessageError::folded_field);
  EXPECT_EQ(error_of("0\r\nGET / HTTP/1.1\r\n\r\n"), MessageError::bad_field_name);
  EXPECT_EQ(error_of("0\r\nA: " + std::string(20000, 'a')), MessageError::head_too_long);
}

}  // namespace
}  // namespace trunkline::http::http1
