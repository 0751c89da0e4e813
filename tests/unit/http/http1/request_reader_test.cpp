// SPDX-License-Identifier: MIT
// The heads of requests: what is taken, and each way of being refused.
#include "http/http1/request_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::http::http1 {
namespace {

using Outcome = RequestReader::Outcome;

MessageError error_of(std::string_view text, const HeadLimits& limits = {}) {
  RequestReader reader(limits);
  const Outcome outcome = reader.read(text);
  EXPECT_EQ(outcome == Outcome::refused, reader.error() != MessageError::none);
  EXPECT_NE(outcome, Outcome::needs_input) << text;
  return reader.error();
}

/// A request with `lines` behind Host.
MessageError error_with(std::string_view lines) {
  return error_of("POST /a HTTP/1.1\r\nHost: h\r\n" + std::string(lines) + "\r\n");
}

MessageError error_of_line(std::string_view first_line) {
  return error_of(std::string(first_line) + "\r\nHost: h\r\n\r\n");
}

TEST(RequestReader, ReadsAHead) {
  const std::string text =
      "POST /Greet?a=b HTTP/1.1\r\nHost: example.org:80\r\nContent-Type: application/json\r\nContent-Length: 7\r\n"
      "X-Empty:\r\nx-blanks: \t a \t b\t \r\n\r\n\"world\"";
  RequestReader reader({});

  ASSERT_EQ(reader.read(text), Outcome::head);

  const RequestHead& head = reader.head();
  EXPECT_EQ(reader.size(), text.size() - 7);
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/Greet?a=b");
  EXPECT_EQ(head.path, "/Greet");
  EXPECT_EQ(head.query, "a=b");
  EXPECT_EQ(head.minor_version, 1);
  EXPECT_EQ(head.host, "example.org:80");
  EXPECT_EQ(head.content_type, "application/json");
  EXPECT_EQ(head.content_length, 7U);
  EXPECT_FALSE(head.is_chunked);
  EXPECT_FALSE(head.expects_continue);
  EXPECT_TRUE(head.keeps_connection());
  ASSERT_EQ(head.fields.size(), 5U);
  EXPECT_EQ(head.fields[0].name, "Host");
  EXPECT_EQ(head.fields[3].value, "");
  EXPECT_EQ(head.fields[4].value, "a \t b");
  ASSERT_NE(head.find("x-empty"), nullptr);
  EXPECT_EQ(head.find("x-other"), nullptr);
}

TEST(RequestReader, ResumesAfterEachByte) {
  const std::string text = "\r\nGET /a HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\n";
  RequestReader reader({});

  for (std::size_t size = 0; size < text.size(); ++size) {
    ASSERT_EQ(reader.read(std::string(text.substr(0, size))), Outcome::needs_input) << size;
  }

  ASSERT_EQ(reader.read(text), Outcome::head);
  EXPECT_EQ(reader.size(), text.size());
  EXPECT_EQ(reader.head().path, "/a");
  EXPECT_EQ(*reader.head().find("accept"), "*/*");
}

TEST(RequestReader, ReadsOneHeadAfterTheOther) {
  const std::string text = "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nPUT /b HTTP/1.0\r\n\r\n";
  RequestReader reader({});

  ASSERT_EQ(reader.read(text), Outcome::head);
  EXPECT_FALSE(reader.head().keeps_connection());
  ASSERT_EQ(reader.read(std::string_view(text).substr(reader.size())), Outcome::head);

  EXPECT_EQ(reader.head().method, "PUT");
  EXPECT_EQ(reader.head().path, "/b");
  EXPECT_EQ(reader.head().minor_version, 0);
  EXPECT_TRUE(reader.head().fields.empty());
}

TEST(RequestReader, RefusesWhatIsNoLine) {
  EXPECT_EQ(error_of("GET / HTTP/1.1\nHost: h\r\n\r\n"), MessageError::bare_line_feed);
  EXPECT_EQ(error_of("GET / HTTP/1.1\r\nHost: h\n\r\n"), MessageError::bare_line_feed);
  EXPECT_EQ(error_of("GET / HTTP/1.1\r\nHost: h\r\n\n"), MessageError::bare_line_feed);
  EXPECT_EQ(error_of("\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"), MessageError::bare_line_feed);
  EXPECT_EQ(error_of("GET / HTTP/1.1\r\nHost: h\r\nA: b\rC: d\r\n\r\n"), MessageError::bad_field_value);
  EXPECT_EQ(error_of("GET / HTTP/1.1\r\nHost: h\r\r\n\r\n"), MessageError::bad_field_value);
  EXPECT_EQ(error_of("GET / HTTP/1.1\rHost: h\r\n\r\n"), MessageError::bad_request_line);
  EXPECT_EQ(error_of("\rGET / HTTP/1.1\r\nHost: h\r\n\r\n"), MessageError::bad_method);
}

TEST(RequestReader, RefusesASecondEmptyLine) {
  EXPECT_EQ(error_of("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"), MessageError::bad_request_line);
}

TEST(RequestReader, RefusesMalformedFirstLines) {
  for (const char* line : {"GET", "GET /", "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / a HTTP/1.1", " GET / HTTP/1.1",
                           "GET / HTTP/1.1 ", "GET\t/\tHTTP/1.1"}) {
    const MessageError error = error_of_line(line);
    EXPECT_TRUE(error == MessageError::bad_request_line || error == MessageError::bad_method ||
                error == MessageError::bad_version)
        << line << ": " << to_string(error);
  }
  EXPECT_EQ(error_of_line("G(T / HTTP/1.1"), MessageError::bad_method);
  EXPECT_EQ(error_of_line("G\xC4T / HTTP/1.1"), MessageError::bad_method);
}

TEST(RequestReader, RefusesOtherVersions) {
  for (const char* version : {"HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/3.0", "HTTP/9.9"}) {
    EXPECT_EQ(error_of_line(std::string("GET / ") + version), MessageError::version_not_supported) << version;
  }
  for (const char* version : {"HTTP/1", "HTTP/1.", "HTTP/1.1.", "HTTP/11", "http/1.1", "HTTP/1.x", "HTTP-1.1", "1.1",
                              "HTTP/01.1", "HTTP/1.01", "HTTP/1.1\t"}) {
    EXPECT_EQ(error_of_line(std::string("GET / ") + version), MessageError::bad_version) << version;
  }
}

TEST(RequestReader, ReadsTheFormsOfTargets) {
  struct Case {
    const char* line;
    const char* path;
    const char* query;
  };
  for (const Case& one :
       {Case{"GET / HTTP/1.1", "/", ""}, Case{"GET /? HTTP/1.1", "/", ""}, Case{"GET /a?b?c HTTP/1.1", "/a", "b?c"},
        Case{"OPTIONS * HTTP/1.1", "*", ""}, Case{"GET http://h/a?b HTTP/1.1", "/a", "b"},
        Case{"GET HTTPS://H/ HTTP/1.1", "/", ""}, Case{"GET http://h HTTP/1.1", "/", ""},
        Case{"GET http://h?b HTTP/1.1", "/", "b"}, Case{"CONNECT h:80 HTTP/1.1", "", ""},
        Case{"GET /\xC3\xBC{\"} HTTP/1.1", "/\xC3\xBC{\"}", ""}}) {
    const std::string text = std::string(one.line) + "\r\nHost: h\r\n\r\n";
    RequestReader reader({});
    ASSERT_EQ(reader.read(text), Outcome::head) << one.line;
    EXPECT_EQ(reader.head().path, one.path) << one.line;
    EXPECT_EQ(reader.head().query, one.query) << one.line;
  }
}

TEST(RequestReader, RefusesOtherTargets) {
  for (const char* target :
       {"a", "*", "ftp://h/", "http:/h/", "http:///a", "http://u@h/", "/a#b", "/a\x01", "/a\x7F", "//\t", "?a"}) {
    EXPECT_EQ(error_of_line(std::string("GET ") + target + " HTTP/1.1"), MessageError::bad_target) << target;
  }
  EXPECT_EQ(error_of_line("CONNECT /a HTTP/1.1"), MessageError::bad_target);
}

TEST(RequestReader, RefusesFoldedFields) {
  EXPECT_EQ(error_with("A: b\r\n c\r\n"), MessageError::folded_field);
  EXPECT_EQ(error_with("A: b\r\n\tc\r\n"), MessageError::folded_field);
  EXPECT_EQ(error_with("A: b\r\n \r\n"), MessageError::folded_field);
  EXPECT_EQ(error_of("GET / HTTP/1.1\r\n Host: h\r\n\r\n"), MessageError::folded_field);
}

TEST(RequestReader, RefusesSpacesBeforeColons) {
  EXPECT_EQ(error_with("Content-Length : 5\r\n"), MessageError::space_before_colon);
  EXPECT_EQ(error_with("Transfer-Encoding\t: chunked\r\n"), MessageError::space_before_colon);
}

TEST(RequestReader, RefusesNamesThatAreNoTokens) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (byte == '\n') continue;
    const auto character = static_cast<char>(byte);
    const bool is_fine = base::is_token_character(character) || character == ':';
    EXPECT_EQ(error_with("A" + std::string(1, character) + "B: c\r\n") == MessageError::none, is_fine) << byte;
  }
  EXPECT_EQ(error_with(": c\r\n"), MessageError::bad_field_name);
  EXPECT_EQ(error_with("abc\r\n"), MessageError::field_without_colon);
  EXPECT_EQ(error_with("a bc\r\n"), MessageError::bad_field_name);
}

TEST(RequestReader, RefusesControlCharactersInValues) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (byte == '\n') continue;
    const bool is_fine = byte == '\t' || (byte >= 0x20 && byte != 0x7F);
    for (std::size_t before : {1U, 8U, 15U, 16U}) {
      const std::string value = std::string(before, 'x') + static_cast<char>(byte) + "x";
      EXPECT_EQ(error_with("A: " + value + "\r\n"), is_fine ? MessageError::none : MessageError::bad_field_value)
          << byte << " after " << before;
    }
  }
}

TEST(RequestReader, RefusesTwoWaysToSayTheLength) {
  EXPECT_EQ(error_with("Content-Length: 5\r\nContent-Length: 6\r\n"), MessageError::two_content_lengths);
  EXPECT_EQ(error_with("Content-Length: 5\r\ncontent-length: 5\r\n"), MessageError::two_content_lengths);
  EXPECT_EQ(error_with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), MessageError::length_and_chunked);
  EXPECT_EQ(error_with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), MessageError::length_and_chunked);
  EXPECT_EQ(error_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
            MessageError::two_transfer_encodings);
}

TEST(RequestReader, RefusesMalformedLengths) {
  for (const char* value : {"", "+5", "-5", "5,5", "5, 5", "0x5", "5 5", "5a", "\xB2", "9223372036854775808",
                            "18446744073709551621", "5.0", "5;a"}) {
    EXPECT_EQ(error_with("Content-Length: " + std::string(value) + "\r\n"), MessageError::bad_content_length) << value;
  }
  EXPECT_EQ(error_with("Content-Length: 9223372036854775807\r\n"), MessageError::none);
  EXPECT_EQ(error_with("Content-Length: 0005\r\n"), MessageError::none);
}

TEST(RequestReader, RefusesOtherTransferEncodings) {
  for (const char* value : {"", "gzip", "gzip, chunked", "chunked, chunked", "chunked, identity", "xchunked",
                            "chunked;a", "identity", "\"chunked\"", "chunked,"}) {
    EXPECT_EQ(error_with("Transfer-Encoding: " + std::string(value) + "\r\n"),
              MessageError::transfer_encoding_not_known)
        << value;
  }
  EXPECT_EQ(error_with("Transfer-Encoding: \x0B"
                       "chunked\r\n"),
            MessageError::bad_field_value);
  EXPECT_EQ(error_with("transfer-encoding: CHUNKED\r\n"), MessageError::none);
  EXPECT_EQ(error_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), MessageError::chunked_in_http_1_0);
}

TEST(RequestReader, WantsOneHost) {
  EXPECT_EQ(error_of("GET / HTTP/1.1\r\n\r\n"), MessageError::no_host);
  EXPECT_EQ(error_of("GET / HTTP/1.0\r\n\r\n"), MessageError::none);
  EXPECT_EQ(error_with("Host: h\r\n"), MessageError::two_hosts);
  for (const char* host : {"a b", "a/b", "u@h", "a,b", "a\xC4", "a?b", "a#b", "a:b", "a:b:c", "a:1:2", "[::1", "::1]",
                           "[::1]a", "[]", "[[a]]", "a[b]"}) {
    EXPECT_EQ(error_of("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), MessageError::bad_host) << host;
  }
  for (const char* host : {"", "a", "a:", "a:80", "a.b:80", "[::1]", "[::1]:80", "[v1.a:b]", ":80", "a%20b"}) {
    EXPECT_EQ(error_of("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"), MessageError::none) << host;
  }
  EXPECT_EQ(error_of("GET http://a:b/ HTTP/1.1\r\nHost: a:b\r\n\r\n"), MessageError::bad_target);
  EXPECT_EQ(error_of("CONNECT a:b HTTP/1.1\r\nHost: a\r\n\r\n"), MessageError::bad_target);
}

TEST(RequestReader, RefusesAHostOtherThanThatOfTheTarget) {
  for (const char* host : {"", "b", "a", "a:81", "aa:80"}) {
    EXPECT_EQ(error_of("GET http://a:80/ HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n"),
              MessageError::other_host)
        << host;
  }
  EXPECT_EQ(error_of("GET http://A:80/ HTTP/1.1\r\nHost: a:80\r\n\r\n"), MessageError::none);
  EXPECT_EQ(error_of("GET http://a/ HTTP/1.0\r\n\r\n"), MessageError::none);
}

TEST(RequestReader, ReadsConnectionOptions) {
  struct Case {
    const char* text;
    bool keeps;
  };
  for (const Case& one :
       {Case{"GET / HTTP/1.1\r\nHost: h\r\n\r\n", true},
        Case{"GET / HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n", false},
        Case{"GET / HTTP/1.1\r\nHost: h\r\nConnection: foo , close\r\n\r\n", false},
        Case{"GET / HTTP/1.1\r\nHost: h\r\nConnection: closed\r\n\r\n", true},
        Case{"GET / HTTP/1.1\r\nHost: h\r\nConnection: a\r\nConnection: close\r\n\r\n", false},
        Case{"GET / HTTP/1.0\r\n\r\n", false}, Case{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
        Case{"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false}}) {
    RequestReader reader({});
    ASSERT_EQ(reader.read(one.text), Outcome::head);
    EXPECT_EQ(reader.head().keeps_connection(), one.keeps) << one.text;
  }
}

TEST(RequestReader, ReadsUpgradeOnlyWithItsOption) {
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n";
  RequestReader reader({});

  ASSERT_EQ(reader.read(head + "\r\n"), Outcome::head);
  EXPECT_EQ(reader.head().upgrade, "");
  const std::string with_option = head + "Connection: keep-alive, Upgrade\r\n\r\n";
  ASSERT_EQ(reader.read(with_option), Outcome::head);
  EXPECT_EQ(reader.head().upgrade, "websocket");
}

TEST(RequestReader, RefusesUnknownExpectations) {
  EXPECT_EQ(error_with("Expect: 100-Continue\r\n"), MessageError::none);
  EXPECT_EQ(error_with("Expect: 200-ok\r\n"), MessageError::unknown_expectation);
  EXPECT_EQ(error_with("Expect:\r\n"), MessageError::unknown_expectation);
}

TEST(RequestReader, LimitsTheFirstLine) {
  const HeadLimits limits{.max_head_bytes = 200, .max_first_line_bytes = 50};
  const std::string line = "GET /" + std::string(36, 'a') + " HTTP/1.1";
  const std::string fields = "\r\nHost: h\r\n\r\n";
  ASSERT_EQ(line.size(), 50U);

  EXPECT_EQ(error_of(line + fields, limits), MessageError::none);
  EXPECT_EQ(error_of("GET /a" + line.substr(5) + fields, limits), MessageError::target_too_long);
  EXPECT_EQ(error_of("GET /" + std::string(60, 'a'), limits), MessageError::target_too_long);
}

TEST(RequestReader, LimitsTheHead) {
  const HeadLimits limits{.max_head_bytes = 100, .max_first_line_bytes = 50};
  const std::string start = "GET / HTTP/1.1\r\nHost: h\r\nA: ";

  EXPECT_EQ(error_of(start + std::string(100 - start.size() - 4, 'a') + "\r\n\r\n", limits), MessageError::none);
  EXPECT_EQ(error_of(start + std::string(100 - start.size() - 3, 'a') + "\r\n\r\n", limits),
            MessageError::head_too_long);
  EXPECT_EQ(error_of(start + std::string(200, 'a'), limits), MessageError::head_too_long);
}

TEST(RequestReader, LimitsTheFields) {
  std::string lines;
  for (int i = 1; i < 128; ++i) lines += "a: b\r\n";

  EXPECT_EQ(error_with(lines), MessageError::none);
  EXPECT_EQ(error_with(lines + "a: b\r\n"), MessageError::too_many_fields);
}

TEST(MessageError, HasAStatusAndATextForEach) {
  for (int error = 1; error <= static_cast<int>(MessageError::framing_field_in_trailers); ++error) {
    const auto one = static_cast<MessageError>(error);
    EXPECT_GE(http_status_of(one), 400) << error;
    EXPECT_NE(http_status_of(one), 500) << error;
    EXPECT_NE(to_string(one), to_string(MessageError::none)) << error;
  }
  EXPECT_EQ(http_status_of(MessageError::target_too_long), 414);
  EXPECT_EQ(http_status_of(MessageError::head_too_long), 431);
  EXPECT_EQ(http_status_of(MessageError::too_many_fields), 431);
  EXPECT_EQ(http_status_of(MessageError::version_not_supported), 505);
  EXPECT_EQ(http_status_of(MessageError::transfer_encoding_not_known), 501);
  EXPECT_EQ(http_status_of(MessageError::unknown_expectation), 417);
}

}  // namespace
}  // namespace trunkline::http::http1
