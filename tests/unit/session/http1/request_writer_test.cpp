// SPDX-License-Identifier: MIT
// RequestWriter: the heads of requests over HTTP/1.1, which of their lines are copied, and content in parts.
#include "session/http1/request_writer.h"

#include "kit/session_end.h"
#include "session/web/request_head.h"
#include "unit/session/counted_codec.h"
#include "unit/session/http1/written_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::http1 {
namespace {

using std::chrono::milliseconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using web::Format;

struct Http1ClientWriter {
  std::string write(const RequestWriter::Head& head) {
    writer.write_head(head);
    return written_text(output);
  }
  /// The head of a call of the method with key 1, with content of five bytes.
  RequestWriter::Head head(Format format = Format::connect_unary) const {
    return {.format = format, .method = {.key = 1, .name = "test/Echo"}, .codec = &codec, .content_bytes = 5};
  }

  CountedCodec codec{"text"};
  SessionOptions options = [] {
    SessionOptions made = kit::plain_options();
    made.user_agent = "agent/1";
    return made;
  }();
  web::MessageEncodings encodings{options.compressors};
  base::OutputQueue output;
  RequestWriter writer{options, encodings, output};
};

/// The fields of a unary call of Connect, up to those that differ.
const std::string unary_start =
    "POST /test/Echo HTTP/1.1\r\n"
    "host: localhost\r\n"
    "content-type: application/text\r\n"
    "user-agent: agent/1\r\n"
    "connect-protocol-version: 1\r\n"
    "accept-encoding: identity,snappy\r\n";

TEST(Http1RequestWriter, WritesTheHeadOfAUnaryCall) {
  Http1ClientWriter client;
  EXPECT_EQ(client.write(client.head()), unary_start + "content-length: 5\r\n\r\n");
}

TEST(Http1RequestWriter, WritesTheFieldsOfEachFormat) {
  const std::vector<std::pair<Format, std::string>> expected{
      {Format::connect_unary,
       "content-type: application/text\r\nuser-agent: agent/1\r\nconnect-protocol-version: 1\r\n"
       "accept-encoding: identity,snappy\r\ncontent-encoding: snappy\r\n"},
      {Format::connect_stream,
       "content-type: application/connect+text\r\nuser-agent: agent/1\r\nconnect-protocol-version: 1\r\n"
       "connect-accept-encoding: identity,snappy\r\nconnect-content-encoding: snappy\r\n"},
      {Format::grpc_web,
       "content-type: application/grpc-web+text\r\nuser-agent: agent/1\r\n"
       "grpc-accept-encoding: identity,snappy\r\ngrpc-encoding: snappy\r\n"},
      {Format::grpc_web_text,
       "content-type: application/grpc-web-text+text\r\nuser-agent: agent/1\r\naccept: application/grpc-web-text\r\n"
       "grpc-accept-encoding: identity,snappy\r\ngrpc-encoding: snappy\r\n"}};
  for (const auto& [format, fields] : expected) {
    Http1ClientWriter client;
    RequestWriter::Head head = client.head(format);
    head.compressor = &kit::snappy();
    // The head is written in full at first, and then copied.
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(client.write(head),
                "POST /test/Echo HTTP/1.1\r\nhost: localhost\r\n" + fields + "content-length: 5\r\n\r\n");
    }
    head.compressor = nullptr;
    EXPECT_THAT(client.write(head), Not(HasSubstr("-encoding: snappy\r\n")));
  }
}

TEST(Http1RequestWriter, NamesTheServerAndItself) {
  Http1ClientWriter client;
  client.options.authority = "server:8080";
  client.options.user_agent.clear();
  const std::string head = client.write(client.head());
  EXPECT_THAT(head, HasSubstr("\r\nhost: server:8080\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nuser-agent: " + std::string(web::user_agent_of(client.options)) + "\r\n"));
}

TEST(Http1RequestWriter, EncodesTheNameOfAMethodForItsTarget) {
  const std::vector<std::pair<std::string, std::string>> expected{
      {"", "/"},
      {"a b?c#d%e", "/a%20b%3Fc%23d%25e"},
      {"\xC3\xA4", "/%C3%A4"},
      {"x HTTP/1.1\r\nhost: evil", "/x%20HTTP/1.1%0D%0Ahost:%20evil"},
  };
  for (const auto& [name, target] : expected) {
    Http1ClientWriter client;
    RequestWriter::Head head = client.head();
    head.method = {.name = name};
    EXPECT_THAT(client.write(head), StartsWith("POST " + target + " HTTP/1.1\r\nhost: "));
  }
}

TEST(Http1RequestWriter, SaysTheLengthOfTheContentOrThatItIsChunked) {
  Http1ClientWriter client;
  RequestWriter::Head head = client.head();
  const auto written = [&](std::optional<std::uint64_t> bytes) {
    head.content_bytes = bytes;
    return client.write(head);
  };
  EXPECT_EQ(written(0), unary_start + "content-length: 0\r\n\r\n");
  EXPECT_EQ(written(std::nullopt), unary_start + "transfer-encoding: chunked\r\n\r\n");
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()),
            unary_start + "content-length: 18446744073709551615\r\n\r\n");
}

TEST(Http1RequestWriter, WritesAGetWithItsQueryAndWithoutContent) {
  Http1ClientWriter client;
  RequestWriter::Head head = client.head();
  head.query = "?connect=v1&message=1";
  head.compressor = &kit::snappy();
  head.content_bytes.reset();
  EXPECT_EQ(client.write(head),
            "GET /test/Echo?connect=v1&message=1 HTTP/1.1\r\n"
            "host: localhost\r\n"
            "user-agent: agent/1\r\n"
            "connect-protocol-version: 1\r\n"
            "accept-encoding: identity,snappy\r\n\r\n");
}

TEST(Http1RequestWriter, WritesTheTimeThatIsLeft) {
  Http1ClientWriter client;
  RequestWriter::Head head = client.head();
  const auto written = [&](Format format, std::chrono::nanoseconds timeout) {
    head.format = format;
    head.timeout = timeout;
    return client.write(head);
  };
  for (int i = 0; i < 2; ++i) {
    for (const Format format : {Format::connect_unary, Format::connect_stream}) {
      EXPECT_THAT(written(format, milliseconds(1500)),
                  EndsWith("connect-timeout-ms: 1500\r\ncontent-length: 5\r\n\r\n"));
      EXPECT_THAT(written(format, milliseconds(-1)), HasSubstr("\r\nconnect-timeout-ms: 1\r\n"));
    }
    for (const Format format : {Format::grpc_web, Format::grpc_web_text}) {
      EXPECT_THAT(written(format, milliseconds(1500)), EndsWith("grpc-timeout: 1500m\r\ncontent-length: 5\r\n\r\n"));
      EXPECT_THAT(written(format, milliseconds(0)), HasSubstr("\r\ngrpc-timeout: 1n\r\n"));
    }
  }
  head.timeout.reset();
  EXPECT_THAT(client.write(head), Not(HasSubstr("timeout")));
}

/// Connect has no such field.
TEST(Http1RequestWriter, CountsTheAttemptsBeforeForGrpcWeb) {
  for (const Format format : {Format::connect_unary, Format::connect_stream, Format::grpc_web, Format::grpc_web_text}) {
    Http1ClientWriter client;
    RequestWriter::Head head = client.head(format);
    EXPECT_THAT(client.write(head), Not(HasSubstr("attempts")));
    head.previous_attempts = 3;
    const std::string text = client.write(head);
    if (web::is_connect(format)) {
      EXPECT_THAT(text, Not(HasSubstr("attempts")));
    } else {
      EXPECT_THAT(text, EndsWith("grpc-previous-rpc-attempts: 3\r\ncontent-length: 5\r\n\r\n"));
    }
  }
}

TEST(Http1RequestWriter, WritesMetadataInItsOrder) {
  Http1ClientWriter client;
  const Metadata metadata{{"k", "1"}, {"data-bin", std::string("\0\xFF~", 3)}, {"k", "  2 "}, {"none", ""}};
  RequestWriter::Head head = client.head();
  head.metadata = &metadata;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.write(head),
              unary_start + "k: 1\r\ndata-bin: AP9+\r\nk: 2\r\nnone: \r\ncontent-length: 5\r\n\r\n");
  }
  // The head that is kept has nothing of it.
  const Metadata empty;
  head.metadata = &empty;
  EXPECT_EQ(client.write(head), unary_start + "content-length: 5\r\n\r\n");
}

/// Metadata is checked before. What slips through does not end the head.
TEST(Http1RequestWriter, LeavesOutFieldsThatCouldEndAHead) {
  Http1ClientWriter client;
  client.options.user_agent = "a\r\nevil: 1";
  const Metadata metadata{{"k", "1\r\nevil: 2"}, {"n", "1\nevil"}, {"z", std::string("\0", 1)}, {"fine", "3"}};
  RequestWriter::Head head = client.head();
  head.metadata = &metadata;

  const std::string text = client.write(head);

  EXPECT_THAT(text, Not(HasSubstr("evil")));
  EXPECT_THAT(text, Not(HasSubstr("user-agent")));
  EXPECT_THAT(text, EndsWith("\r\nfine: 3\r\ncontent-length: 5\r\n\r\n"));
  EXPECT_EQ(text.find('\0'), std::string::npos);
}

TEST(Http1RequestWriter, CopiesTheHeadOfAMethodThatItKnows) {
  Http1ClientWriter client;
  RequestWriter::Head head = client.head();
  EXPECT_FALSE(client.writer.knows(head.method));
  EXPECT_EQ(client.writer.held_bytes(), 0u);

  EXPECT_EQ(client.write(head), unary_start + "content-length: 5\r\n\r\n");
  EXPECT_TRUE(client.writer.knows(head.method));
  EXPECT_TRUE(client.codec.take_asked());

  head.timeout = milliseconds(7);
  head.content_bytes.reset();
  EXPECT_EQ(client.write(head), unary_start + "connect-timeout-ms: 7\r\ntransfer-encoding: chunked\r\n\r\n");
  EXPECT_FALSE(client.codec.take_asked());
}

/// What is kept of a head does not depend on how the first call of the method differed.
TEST(Http1RequestWriter, KeepsOnlyWhatIsShared) {
  Http1ClientWriter client;
  const Metadata metadata{{"k", "v"}};
  RequestWriter::Head head = client.head(Format::grpc_web);
  head.timeout = milliseconds(7);
  head.previous_attempts = 1;
  head.metadata = &metadata;
  head.content_bytes.reset();
  static_cast<void>(client.write(head));

  EXPECT_EQ(client.write(client.head(Format::grpc_web)),
            "POST /test/Echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/grpc-web+text\r\n"
            "user-agent: agent/1\r\ngrpc-accept-encoding: identity,snappy\r\ncontent-length: 5\r\n\r\n");
}

TEST(Http1RequestWriter, WritesAHeadAgainForAnotherCodecCompressorOrFormat) {
  Http1ClientWriter client;
  const CountedCodec other("other");
  RequestWriter::Head with_codec = client.head();
  with_codec.codec = &other;
  RequestWriter::Head with_compressor = client.head();
  with_compressor.compressor = &kit::snappy();
  const std::string usual = unary_start + "content-length: 5\r\n\r\n";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.write(client.head()), usual);
    EXPECT_THAT(client.write(with_codec), HasSubstr("\r\ncontent-type: application/other\r\n"));
    EXPECT_EQ(client.write(client.head()), usual);
    EXPECT_EQ(client.write(with_compressor), unary_start + "content-encoding: snappy\r\ncontent-length: 5\r\n\r\n");
    EXPECT_EQ(client.write(client.head()), usual);
    EXPECT_THAT(client.write(client.head(Format::grpc_web)),
                HasSubstr("\r\ncontent-type: application/grpc-web+text\r\n"));
  }
}

TEST(Http1RequestWriter, CountsWhatItHolds) {
  Http1ClientWriter client;
  static_cast<void>(client.write(client.head()));
  EXPECT_EQ(client.writer.held_bytes(), unary_start.size());
  static_cast<void>(client.write(client.head()));
  EXPECT_EQ(client.writer.held_bytes(), unary_start.size());

  // Another method is held as well, and another head of the same one instead of the first.
  RequestWriter::Head second = client.head();
  second.method = {.key = 9, .name = "test/Other"};
  static_cast<void>(client.write(second));
  EXPECT_EQ(client.writer.held_bytes(), 2 * unary_start.size() + 1);
  second.compressor = &kit::snappy();
  static_cast<void>(client.write(second));
  EXPECT_EQ(client.writer.held_bytes(),
            2 * unary_start.size() + 1 + std::string("content-encoding: snappy\r\n").size());
  second.compressor = nullptr;
  static_cast<void>(client.write(second));
  EXPECT_EQ(client.writer.held_bytes(), 2 * unary_start.size() + 1);
}

TEST(Http1RequestWriter, KeepsNothingForAMethodWithoutAKey) {
  Http1ClientWriter client;
  RequestWriter::Head head = client.head();
  head.method = {.key = 0, .name = "test/One"};
  static_cast<void>(client.write(head));
  EXPECT_FALSE(client.writer.knows(head.method));
  head.method.name = "test/Two";
  EXPECT_THAT(client.write(head), StartsWith("POST /test/Two HTTP/1.1\r\n"));
  EXPECT_EQ(client.writer.held_bytes(), 0u);
}

TEST(Http1RequestWriter, KeepsTheHeadsOfAThousandKeys) {
  Http1ClientWriter client;
  RequestWriter::Head head = client.head();
  for (const std::uint32_t key : {1024u, 1025u, 0xFFFFFFFFu}) {
    head.method = {.key = key, .name = "test/Beyond"};
    for (int i = 0; i < 2; ++i) EXPECT_THAT(client.write(head), StartsWith("POST /test/Beyond HTTP/1.1\r\n"));
    EXPECT_FALSE(client.writer.knows(head.method));
  }
  EXPECT_EQ(client.writer.held_bytes(), 0u);
  head.method = {.key = 1023, .name = "test/Last"};
  static_cast<void>(client.write(head));
  EXPECT_TRUE(client.writer.knows(head.method));
  EXPECT_FALSE(client.writer.knows({.key = 1022, .name = "test/Last"}));
}

/// Each GET has another target. It also leaves the head of a POST of the method as it is.
TEST(Http1RequestWriter, KeepsNoGet) {
  Http1ClientWriter client;
  RequestWriter::Head get = client.head();
  get.query = "?message=1";
  get.content_bytes.reset();
  static_cast<void>(client.write(get));
  EXPECT_FALSE(client.writer.knows(get.method));
  EXPECT_EQ(client.writer.held_bytes(), 0u);

  EXPECT_EQ(client.write(client.head()), unary_start + "content-length: 5\r\n\r\n");
  get.query = "?message=2";
  EXPECT_THAT(client.write(get), StartsWith("GET /test/Echo?message=2 HTTP/1.1\r\n"));
  EXPECT_EQ(client.write(client.head()), unary_start + "content-length: 5\r\n\r\n");
}

TEST(Http1RequestWriter, WritesContentInChunks) {
  Http1ClientWriter client;
  client.writer.write_part(as_bytes("12345"), Slice::copy_of("abc"), true);
  EXPECT_EQ(written_text(client.output), "8\r\n12345abc\r\n");
  client.writer.write_part({}, Slice::copy_of(std::string(26, 'x')), true);
  EXPECT_EQ(written_text(client.output), "1a\r\n" + std::string(26, 'x') + "\r\n");
  client.writer.write_part(as_bytes("12345"), {}, true);
  EXPECT_EQ(written_text(client.output), "5\r\n12345\r\n");
  client.writer.end_chunks();
  EXPECT_EQ(written_text(client.output), "0\r\n\r\n");
}

TEST(Http1RequestWriter, WritesContentWithALengthAsItIs) {
  Http1ClientWriter client;
  client.writer.write_part(as_bytes("12345"), Slice::copy_of("abc"), false);
  client.writer.write_part({}, Slice::copy_of("def"), false);
  client.writer.write_part(as_bytes("g"), {}, false);
  EXPECT_EQ(written_text(client.output), "12345abcdefg");
  client.writer.write_part({}, {}, false);
  EXPECT_TRUE(client.output.empty());
}

TEST(Http1RequestWriter, BorrowsALongPart) {
  for (const bool is_chunked : {false, true}) {
    Http1ClientWriter client;
    const Slice part = Slice::from_string(std::string(1 << 20, 'x'));
    client.writer.write_part(as_bytes("12345"), part, is_chunked);
    EXPECT_TRUE(borrows(client.output, part));
    const std::string content = "12345" + std::string(1 << 20, 'x');
    EXPECT_EQ(written_text(client.output), is_chunked ? "100005\r\n" + content + "\r\n" : content);
  }
}

}  // namespace
}  // namespace trunkline::session::http1
