// SPDX-License-Identifier: MIT
// Heads that are written, and fields that must not be.
#include "http/http1/head_writer.h"
#include "http/http1/response_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::http::http1 {
namespace {

TEST(HeadWriter, WritesAResponse) {
  BufferWriter out;
  HeadWriter writer(out);

  writer.status_line(404);
  EXPECT_TRUE(writer.field("Content-Type", "application/json"));
  EXPECT_TRUE(writer.field("x-empty", ""));
  writer.number_field("Content-Length", 1234567890123);
  writer.end();

  EXPECT_EQ(as_text(out.bytes()),
            "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nx-empty: \r\n"
            "Content-Length: 1234567890123\r\n\r\n");
}

TEST(HeadWriter, WritesARequest) {
  BufferWriter out;
  HeadWriter writer(out);

  EXPECT_TRUE(writer.request_line("GET", "/a?b"));

  EXPECT_EQ(as_text(out.bytes()), "GET /a?b HTTP/1.1\r\n");
}

TEST(HeadWriter, WritesStatusesWithoutWords) {
  BufferWriter out;
  HeadWriter writer(out);
  ResponseReader reader({});

  writer.status_line(299);
  writer.end();

  EXPECT_EQ(as_text(out.bytes()), "HTTP/1.1 299 \r\n\r\n");
  EXPECT_EQ(reader.read(as_text(out.bytes())), ResponseReader::Outcome::head);
}

TEST(HeadWriter, RefusesWhatWouldEndAField) {
  BufferWriter out;
  HeadWriter writer(out);
  for (const std::string value : {"a\r\nB: c", "a\nB: c", "a\r", "a\x7F", " a", "a ", "\ta"}) {
    EXPECT_FALSE(writer.field("A", value)) << value;
  }
  for (const char* name : {"", "A B", "A:", "A\r\nB", "A\n", "\xC4"}) EXPECT_FALSE(writer.field(name, "a")) << name;
  EXPECT_FALSE(writer.request_line("GET /a HTTP/1.1\r\nA:", "/a"));
  EXPECT_FALSE(writer.request_line("GET", "/a HTTP/1.1\r\nA: b"));
  EXPECT_FALSE(writer.request_line("GET", "/a b"));
  EXPECT_FALSE(writer.request_line("GET", ""));

  EXPECT_EQ(out.size(), 0U);
}

TEST(HeadWriter, RefusesNulInValues) {
  EXPECT_FALSE(is_sendable_field("a", std::string_view("a\0b", 3)));
  EXPECT_TRUE(is_sendable_field("a", "a\tb \xC3\xBC"));
}

}  // namespace
}  // namespace trunkline::http::http1
