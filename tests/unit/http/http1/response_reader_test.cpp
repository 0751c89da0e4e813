// SPDX-License-Identifier: MIT
// The heads of responses.
#include "http/http1/response_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::http1 {
namespace {

using Outcome = ResponseReader::Outcome;

MessageError error_of(const std::string& text) {
  ResponseReader reader({});
  EXPECT_NE(reader.read(text), Outcome::needs_input) << text;
  return reader.error();
}

TEST(ResponseReader, ReadsAHead) {
  const std::string text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nrest";
  ResponseReader reader({});

  for (std::size_t size = 0; size < text.size() - 4; ++size) {
    ASSERT_EQ(reader.read(text.substr(0, size)), Outcome::needs_input) << size;
  }
  ASSERT_EQ(reader.read(text), Outcome::head);

  EXPECT_EQ(reader.size(), text.size() - 4);
  EXPECT_EQ(reader.head().status, 101);
  EXPECT_EQ(reader.head().reason, "Switching Protocols");
  EXPECT_EQ(reader.head().upgrade, "websocket");
  EXPECT_TRUE(reader.head().keeps_connection());
}

TEST(ResponseReader, TakesAnEmptyReason) { EXPECT_EQ(error_of("HTTP/1.0 200 \r\n\r\n"), MessageError::none); }

TEST(ResponseReader, RefusesMalformedFirstLines) {
  for (const char* line :
       {"", "HTTP/1.1 200", "HTTP/1.1  200 ", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 a", "HTTP/1.1 2x0 OK",
        "http/1.1 200 OK", "HTTP/1.1\t200 OK", "HTTP/1.1 200 O\x01", "ICY 200 OKOKOK"}) {
    EXPECT_EQ(error_of(std::string(line) + "\r\n\r\n"), MessageError::bad_status_line) << line;
  }
  EXPECT_EQ(error_of("HTTP/2.0 200 OK\r\n\r\n"), MessageError::version_not_supported);
  EXPECT_EQ(error_of("HTTP/1.2 200 OK\r\n\r\n"), MessageError::version_not_supported);
}

TEST(ResponseReader, RefusesWhatCanBeReadInTwoWays) {
  const std::string start = "HTTP/1.1 200 OK\r\n";
  EXPECT_EQ(error_of(start + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n"), MessageError::two_content_lengths);
  EXPECT_EQ(error_of(start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            MessageError::length_and_chunked);
  EXPECT_EQ(error_of(start + "A: b\r\n c\r\n\r\n"), MessageError::folded_field);
  EXPECT_EQ(error_of(start + "A: b\n\r\n"), MessageError::bare_line_feed);
  EXPECT_EQ(error_of("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), MessageError::chunked_in_http_1_0);
}

TEST(ResponseReader, LimitsTheHead) {
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nA: " + std::string(20000, 'a')), MessageError::head_too_long);
}

}  // namespace
}  // namespace trunkline::http::http1
