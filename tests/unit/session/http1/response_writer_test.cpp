// SPDX-License-Identifier: MIT
// ResponseWriter: responses over HTTP/1.1 as a whole and in parts, to GET and HEAD, by HTTP/1.1 and HTTP/1.0.
#include "session/http1/response_writer.h"

#include "kit/session_end.h"
#include "unit/session/counted_codec.h"
#include "unit/session/http1/written_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::http1 {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using web::Format;
using Form = ResponseWriter::Form;

constexpr Form usual_form{};
constexpr Form closing_form{.keeps_connection = false};
constexpr Form old_form{.minor_version = 0, .keeps_connection = false};
constexpr Form old_kept_form{.minor_version = 0, .keeps_connection = true};
constexpr Form head_form{.is_head = true};

struct Http1ServerWriter {
  std::string write(const Form& form, const web::ResponseHead& head, std::string_view content = "hello") {
    writer.write(form, head, as_bytes(content));
    return written_text(output);
  }
  std::string write_slice(const Form& form, const web::ResponseHead& head, Slice content) {
    writer.write(form, head, std::move(content));
    return written_text(output);
  }
  std::string begin(const Form& form, const web::ResponseHead& head) {
    writer.begin(form, head);
    return written_text(output);
  }
  std::string part(const Form& form, std::string_view bytes) {
    writer.write_part(form, as_bytes(bytes));
    return written_text(output);
  }
  std::string part_slice(const Form& form, Slice part) {
    writer.write_part(form, std::move(part));
    return written_text(output);
  }
  std::string end(const Form& form) {
    writer.end(form);
    return written_text(output);
  }
  std::string refusal(const Form& form, std::uint32_t http_status, std::string_view text,
                      std::string_view allowed = web::methods_of_calls, const std::string* cors_origin = nullptr) {
    writer.write_refusal(form, http_status, Status(StatusCode::unimplemented, text), allowed, cors_origin);
    return written_text(output);
  }
  web::ResponseHead head(Format format = Format::connect_unary) const { return {.format = format, .codec = &codec}; }
  /// The head of a route whose handler has set this status of HTTP.
  web::ResponseHead route(const Metadata& leading) const {
    return {.format = Format::route, .codec = &codec, .leading = &leading};
  }

  CountedCodec codec{"text"};
  web::MessageEncodings encodings{&kit::snappy_compressors()};
  base::OutputQueue output;
  ResponseWriter writer{encodings, output};
};

const std::string usual_start = "HTTP/1.1 200 OK\r\ncontent-type: application/text\r\n";
const std::string usual_response = usual_start + "content-length: 5\r\n\r\nhello";

TEST(Http1ResponseWriter, LetsAClientGoOn) {
  Http1ServerWriter server;
  server.writer.write_continue();
  EXPECT_EQ(written_text(server.output), "HTTP/1.1 100 Continue\r\n\r\n");
}

TEST(Http1ResponseWriter, WritesAResponseAsAWhole) {
  Http1ServerWriter server;
  EXPECT_EQ(server.write(usual_form, server.head()), usual_response);
  EXPECT_EQ(server.write_slice(usual_form, server.head(), Slice::copy_of("hello")), usual_response);
  EXPECT_EQ(server.write(usual_form, server.head(), ""), usual_start + "content-length: 0\r\n\r\n");
  EXPECT_EQ(server.write_slice(usual_form, server.head(), {}), usual_start + "content-length: 0\r\n\r\n");
}

TEST(Http1ResponseWriter, WritesTheFieldsOfEachFormat) {
  const std::vector<std::pair<Format, std::string>> expected{
      {Format::grpc_web, "content-type: application/grpc-web+text\r\ngrpc-accept-encoding: identity,snappy\r\n"},
      {Format::grpc_web_text,
       "content-type: application/grpc-web-text+text\r\ngrpc-accept-encoding: identity,snappy\r\n"},
      {Format::connect_stream,
       "content-type: application/connect+text\r\nconnect-accept-encoding: identity,snappy\r\n"},
      {Format::connect_unary, "content-type: application/text\r\n"},
      {Format::plain, "content-type: application/text\r\n"},
      {Format::lines, "content-type: application/x-ndjson\r\ncache-control: no-store\r\n"},
      {Format::events, "content-type: text/event-stream\r\ncache-control: no-store\r\n"},
      {Format::route, ""}};
  // One connection has calls in all formats, and each comes again after the others.
  Http1ServerWriter server;
  for (int round = 0; round < 2; ++round) {
    for (const auto& [format, fields] : expected) {
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(server.write(usual_form, server.head(format)),
                  "HTTP/1.1 200 OK\r\n" + fields + "content-length: 5\r\n\r\nhello");
        EXPECT_EQ(server.begin(usual_form, server.head(format)),
                  "HTTP/1.1 200 OK\r\n" + fields + "transfer-encoding: chunked\r\n\r\n");
      }
    }
  }
}

TEST(Http1ResponseWriter, SaysWhatBecomesOfTheConnection) {
  Http1ServerWriter server;
  const web::ResponseHead head = server.head();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(server.write(usual_form, head), usual_response);
    EXPECT_EQ(server.write(closing_form, head), usual_start + "content-length: 5\r\nconnection: close\r\n\r\nhello");
    EXPECT_EQ(server.write(old_form, head), usual_start + "content-length: 5\r\nconnection: close\r\n\r\nhello");
    EXPECT_EQ(server.write(old_kept_form, head),
              usual_start + "content-length: 5\r\nconnection: keep-alive\r\n\r\nhello");
  }
  EXPECT_EQ(server.begin(closing_form, head), usual_start + "transfer-encoding: chunked\r\nconnection: close\r\n\r\n");
}

TEST(Http1ResponseWriter, CopiesTheUsualHead) {
  Http1ServerWriter server;
  EXPECT_EQ(server.write(usual_form, server.head()), usual_response);
  EXPECT_TRUE(server.codec.take_asked());
  const Metadata empty;
  web::ResponseHead head = server.head();
  head.leading = head.trailing = &empty;
  const Status ok;
  head.status = &ok;
  EXPECT_EQ(server.write(usual_form, head), usual_response);
  EXPECT_EQ(server.write(usual_form, head, std::string(12345, 'x')),
            usual_start + "content-length: 12345\r\n\r\n" + std::string(12345, 'x'));
  EXPECT_FALSE(server.codec.take_asked());
}

/// Routes seldom have the same head twice, so theirs does not take the place of the usual one.
TEST(Http1ResponseWriter, KeepsTheUsualHeadBesideRoutes) {
  Http1ServerWriter server;
  EXPECT_EQ(server.write(usual_form, server.head()), usual_response);
  static_cast<void>(server.codec.take_asked());
  EXPECT_EQ(server.write(usual_form, server.head(Format::route)), "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
  EXPECT_EQ(server.write(usual_form, server.head()), usual_response);
  EXPECT_FALSE(server.codec.take_asked());
}

TEST(Http1ResponseWriter, WritesTheUsualHeadAgainForAnotherCodecFormatOrOrigin) {
  Http1ServerWriter server;
  const CountedCodec other("other");
  const std::string first_origin = "https://a";
  const std::string second_origin = "https://b";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(server.write(usual_form, server.head()), usual_response);
    EXPECT_EQ(server.write(usual_form, {.format = Format::connect_unary, .codec = &other}),
              "HTTP/1.1 200 OK\r\ncontent-type: application/other\r\ncontent-length: 5\r\n\r\nhello");
    EXPECT_EQ(server.write(usual_form, server.head()), usual_response);
    EXPECT_THAT(server.write(usual_form, server.head(Format::lines)), HasSubstr("application/x-ndjson"));
    EXPECT_EQ(server.write(usual_form, server.head()), usual_response);
    for (const std::string* origin : {&first_origin, &second_origin}) {
      web::ResponseHead head = server.head();
      head.cors_origin = origin;
      const std::string text = server.write(usual_form, head);
      EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\naccess-control-allow-origin: " + *origin + "\r\n"));
      EXPECT_THAT(text, HasSubstr("\r\nvary: origin\r\n"));
      EXPECT_THAT(text, EndsWith("\r\ncontent-type: application/text\r\ncontent-length: 5\r\n\r\nhello"));
    }
  }
}

/// Whatever sets a head apart from the usual one is written, and the usual one comes again without it.
TEST(Http1ResponseWriter, WritesHeadsThatAreNotUsual) {
  Http1ServerWriter server;
  const Status error(StatusCode::not_found, "gone");
  const Metadata metadata{{"k", " 1 "}, {"data-bin", std::string("\0\xFF~", 3)}};
  const auto expect = [&server](const web::ResponseHead& head, std::string_view status, const std::string& fields) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(server.write(usual_form, head),
                "HTTP/1.1 " + std::string(status) + "\r\n" + fields + "content-length: 5\r\n\r\nhello");
      EXPECT_EQ(server.write(usual_form, server.head()), usual_response);
    }
  };
  web::ResponseHead head = server.head();
  head.compressor = &kit::snappy();
  expect(head, "200 OK", "content-type: application/text\r\ncontent-encoding: snappy\r\n");
  head = server.head();
  head.leading = &metadata;
  expect(head, "200 OK", "content-type: application/text\r\nk: 1\r\ndata-bin: AP9+\r\n");
  head = server.head();
  head.trailing = &metadata;
  expect(head, "200 OK", "content-type: application/text\r\ntrailer-k: 1\r\ntrailer-data-bin: AP9+\r\n");
  head = server.head();
  head.status = &error;
  expect(head, "404 Not Found", "content-type: application/json\r\n");
  head.http_error = 405;
  expect(head, "405 Method Not Allowed", "content-type: application/json\r\nallow: POST\r\n");
  // A status without words is followed by a space all the same.
  head.http_error = 418;
  expect(head, "418 ", "content-type: application/json\r\n");
}

TEST(Http1ResponseWriter, WritesTheTrailingMetadataOfAStreamNowhere) {
  Http1ServerWriter server;
  const Metadata metadata{{"k", "v"}};
  web::ResponseHead head = server.head(Format::connect_stream);
  head.trailing = &metadata;
  EXPECT_THAT(server.begin(usual_form, head), Not(HasSubstr("k: v")));
}

/// Metadata is checked before. What slips through does not end the head.
TEST(Http1ResponseWriter, LeavesOutFieldsThatCouldEndAHead) {
  Http1ServerWriter server;
  const Metadata metadata{{"k", "1\r\nevil: 2"}, {"n", "1\nevil"}, {"z", std::string("\0", 1)}, {"fine", "3"}};
  const std::string origin = "https://a\r\nevil: 1";
  web::ResponseHead head = server.head();
  head.leading = head.trailing = &metadata;
  head.cors_origin = &origin;
  for (const std::string& text : {server.write(usual_form, head), server.begin(usual_form, head)}) {
    EXPECT_THAT(text, Not(HasSubstr("evil")));
    EXPECT_EQ(text.find('\0'), std::string::npos);
    EXPECT_THAT(text, HasSubstr("\r\nfine: 3\r\ntrailer-fine: 3\r\n"));
  }
  // The usual head has the origin as well.
  head.leading = head.trailing = nullptr;
  for (int i = 0; i < 2; ++i) EXPECT_THAT(server.write(usual_form, head), Not(HasSubstr("evil")));
  EXPECT_THAT(server.refusal(usual_form, 405, "x", "GET\r\nevil: 1", &origin), Not(HasSubstr("evil")));
  server.writer.write_preflight(usual_form, origin, "x\r\nevil: 1");
  EXPECT_THAT(written_text(server.output), Not(HasSubstr("evil")));
}

TEST(Http1ResponseWriter, SaysTheLengthToHeadAndSendsNoContent) {
  Http1ServerWriter server;
  const Status error(StatusCode::internal, "x");
  web::ResponseHead failed = server.head();
  failed.status = &error;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(server.write(head_form, server.head()), usual_start + "content-length: 5\r\n\r\n");
    EXPECT_EQ(server.write_slice(head_form, server.head(), Slice::copy_of("hello")),
              usual_start + "content-length: 5\r\n\r\n");
    EXPECT_EQ(server.write_slice(head_form, server.head(), Slice::from_string(std::string(100000, 'x'))),
              usual_start + "content-length: 100000\r\n\r\n");
    EXPECT_EQ(server.write(head_form, failed),
              "HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n");
    EXPECT_EQ(server.write(usual_form, server.head()), usual_response);
  }
}

TEST(Http1ResponseWriter, BorrowsLongContent) {
  Http1ServerWriter server;
  const Slice longest_copied = Slice::from_string(std::string(base::OutputQueue::copy_limit - 1, 'x'));
  const Slice shortest_borrowed = Slice::from_string(std::string(base::OutputQueue::copy_limit, 'y'));

  server.writer.write(usual_form, server.head(), longest_copied);
  EXPECT_FALSE(borrows(server.output, longest_copied));
  EXPECT_EQ(written_text(server.output),
            usual_start + "content-length: 2047\r\n\r\n" + std::string(longest_copied.text()));
  server.writer.write(usual_form, server.head(), shortest_borrowed);
  EXPECT_TRUE(borrows(server.output, shortest_borrowed));
  EXPECT_EQ(written_text(server.output),
            usual_start + "content-length: 2048\r\n\r\n" + std::string(shortest_borrowed.text()));
  server.writer.write(usual_form, server.head(), shortest_borrowed.bytes());
  EXPECT_FALSE(borrows(server.output, shortest_borrowed));
  EXPECT_EQ(written_text(server.output),
            usual_start + "content-length: 2048\r\n\r\n" + std::string(shortest_borrowed.text()));
}

TEST(Http1ResponseWriter, WritesWhatTheHandlerOfARouteHasSet) {
  Http1ServerWriter server;
  const Metadata leading{{"trunkline-status", "404"}, {"content-type", "text/html"}, {"x-bin", "raw"}};
  EXPECT_EQ(server.write(usual_form, server.route(leading)),
            "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\nx-bin: raw\r\ncontent-length: 5\r\n\r\nhello");
  EXPECT_EQ(server.write(usual_form, server.route({})), "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
}

/// 204 and 304 have no length either, and 205 has no content (RFC 9110, sections 8.6 and 15.3.6).
TEST(Http1ResponseWriter, WritesNoContentWhereHttpHasNone) {
  Http1ServerWriter server;
  const std::string long_content(5000, 'x');
  for (const auto& [status, lines] :
       std::vector<std::pair<std::string, std::string>>{{"204", "204 No Content\r\n"},
                                                        {"304", "304 Not Modified\r\n"},
                                                        {"205", "205 Reset Content\r\ncontent-length: 0\r\n"}}) {
    const Metadata leading{{"trunkline-status", status}};
    EXPECT_EQ(server.write(usual_form, server.route(leading)), "HTTP/1.1 " + lines + "\r\n");
    EXPECT_EQ(server.write_slice(usual_form, server.route(leading), Slice::from_string(long_content)),
              "HTTP/1.1 " + lines + "\r\n");
    EXPECT_EQ(server.write(closing_form, server.route(leading)), "HTTP/1.1 " + lines + "connection: close\r\n\r\n");
  }
}

/// A client of HTTP/1.0 knows no chunks.
TEST(Http1ResponseWriter, BeginsAResponseByTheVersionOfTheClient) {
  Http1ServerWriter server;
  const web::ResponseHead head = server.head(Format::lines);
  const std::string start = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ncache-control: no-store\r\n";
  EXPECT_EQ(server.begin(usual_form, head), start + "transfer-encoding: chunked\r\n\r\n");
  EXPECT_EQ(server.begin(head_form, head), start + "transfer-encoding: chunked\r\n\r\n");
  EXPECT_EQ(server.begin(old_form, head), start + "connection: close\r\n\r\n");
}

TEST(Http1ResponseWriter, WritesPartsAsChunks) {
  Http1ServerWriter server;
  EXPECT_EQ(server.part(usual_form, "hello"), "5\r\nhello\r\n");
  EXPECT_EQ(server.part(usual_form, std::string(26, 'x')), "1a\r\n" + std::string(26, 'x') + "\r\n");
  EXPECT_EQ(server.part_slice(usual_form, Slice::copy_of("hello")), "5\r\nhello\r\n");
  EXPECT_EQ(server.end(usual_form), "0\r\n\r\n");
}

/// From a size on a part is written in another way, but not to another effect.
TEST(Http1ResponseWriter, WritesPartsOfEverySize) {
  constexpr std::size_t limit = base::OutputQueue::copy_limit;
  const std::vector<std::pair<std::size_t, std::string>> sizes{
      {1, "1"}, {limit - 1, "7ff"}, {limit, "800"}, {limit + 1, "801"}, {std::size_t{1} << 20, "100000"}};
  Http1ServerWriter server;
  for (const auto& [size, digits] : sizes) {
    const std::string text(size, 'x');
    const std::string chunk = digits + "\r\n" + text + "\r\n";
    EXPECT_EQ(server.part(usual_form, text), chunk) << size;
    EXPECT_EQ(server.part_slice(usual_form, Slice::copy_of(text)), chunk) << size;
    EXPECT_EQ(server.part(old_form, text), text) << size;
    EXPECT_EQ(server.part_slice(old_form, Slice::copy_of(text)), text) << size;
    EXPECT_EQ(server.part(head_form, text), "") << size;
    EXPECT_EQ(server.part_slice(head_form, Slice::copy_of(text)), "") << size;
  }
}

TEST(Http1ResponseWriter, BorrowsALongPart) {
  for (const Form& form : {usual_form, old_form}) {
    Http1ServerWriter server;
    const Slice part = Slice::from_string(std::string(base::OutputQueue::copy_limit, 'x'));
    server.writer.write_part(form, part);
    EXPECT_TRUE(borrows(server.output, part));
    server.output.clear();
    server.writer.write_part(form, part.bytes());
    EXPECT_FALSE(borrows(server.output, part));
  }
}

/// An empty chunk would be the end.
TEST(Http1ResponseWriter, SkipsEmptyParts) {
  Http1ServerWriter server;
  for (const Form& form : {usual_form, old_form, head_form}) {
    EXPECT_EQ(server.part(form, ""), "");
    EXPECT_EQ(server.part_slice(form, {}), "");
  }
}

TEST(Http1ResponseWriter, EndsOnlyWhatHasChunks) {
  Http1ServerWriter server;
  EXPECT_EQ(server.end(usual_form), "0\r\n\r\n");
  EXPECT_EQ(server.end(closing_form), "0\r\n\r\n");
  EXPECT_EQ(server.end(old_form), "");
  EXPECT_EQ(server.end(old_kept_form), "");
  EXPECT_EQ(server.end(head_form), "");
}

TEST(Http1ResponseWriter, RefusesWhatIsNoCallWithAText) {
  Http1ServerWriter server;
  const std::string fields =
      "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain; charset=utf-8\r\nx-content-type-options: nosniff\r\n"
      "content-length: 13\r\n";
  EXPECT_EQ(server.refusal(usual_form, 404, "no call"), fields + "\r\n404: no call\n");
  EXPECT_EQ(server.refusal(closing_form, 404, "no call"), fields + "connection: close\r\n\r\n404: no call\n");
  EXPECT_EQ(server.refusal(old_kept_form, 404, "no call"), fields + "connection: keep-alive\r\n\r\n404: no call\n");
  EXPECT_EQ(server.refusal(head_form, 404, "no call"), fields + "\r\n");
}

TEST(Http1ResponseWriter, NamesTheMethodsOfHttpThatAPathTakes) {
  Http1ServerWriter server;
  EXPECT_THAT(server.refusal(usual_form, 405, "no"), HasSubstr("\r\nallow: GET, POST\r\n"));
  EXPECT_THAT(server.refusal(usual_form, 405, "no", "POST"), HasSubstr("\r\nallow: POST\r\n"));
  EXPECT_THAT(server.refusal(usual_form, 415, "no", "POST"), HasSubstr("\r\naccept-post: application/json, "));
  for (const std::uint32_t other : {400u, 404u, 415u, 505u}) {
    EXPECT_THAT(server.refusal(usual_form, other, "no", "POST"), Not(HasSubstr("\r\nallow: ")));
  }
}

TEST(Http1ResponseWriter, LetsPagesOfAnOriginReadARefusal) {
  Http1ServerWriter server;
  const std::string origin = "https://app.example";
  const std::string text = server.refusal(usual_form, 404, "no", "GET", &origin);
  EXPECT_THAT(text, HasSubstr("\r\naccess-control-allow-origin: https://app.example\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\nvary: origin\r\n"));
  EXPECT_THAT(server.refusal(usual_form, 404, "no"), Not(HasSubstr("access-control")));
}

/// The text of a refusal is content, in which anything may stand.
TEST(Http1ResponseWriter, RefusesWithALongText) {
  Http1ServerWriter server;
  const std::string reason = "first\r\n\r\n" + std::string(100000, 'x');
  const std::string text = server.refusal(usual_form, 400, reason);
  EXPECT_THAT(text, HasSubstr("\r\ncontent-length: 100015\r\n\r\n400: first\r\n\r\nxx"));
  EXPECT_THAT(text, EndsWith("x\n"));
}

TEST(Http1ResponseWriter, AnswersAPreflight) {
  Http1ServerWriter server;
  server.writer.write_preflight(usual_form, "https://app.example", "x-a, x-b");
  const std::string text = written_text(server.output);
  EXPECT_THAT(text, StartsWith("HTTP/1.1 204 No Content\r\n"
                               "access-control-allow-origin: https://app.example\r\n"
                               "vary: origin, access-control-request-headers\r\n"
                               "access-control-allow-methods: GET, POST\r\n"
                               "access-control-allow-headers: content-type, "));
  EXPECT_THAT(text, EndsWith(", x-a, x-b\r\naccess-control-max-age: 7200\r\n\r\n"));
  EXPECT_THAT(text, Not(HasSubstr("content-length")));

  server.writer.write_preflight(closing_form, "https://app.example", {});
  EXPECT_THAT(written_text(server.output), EndsWith("\r\naccess-control-max-age: 7200\r\nconnection: close\r\n\r\n"));
}

/// Responses of all kinds follow each other on a connection, and none has anything of another.
TEST(Http1ResponseWriter, WritesSeveralResponsesBehindEachOther) {
  Http1ServerWriter server;
  server.writer.write(usual_form, server.head(), as_bytes("hello"));
  server.writer.begin(usual_form, server.head());
  server.writer.write_part(usual_form, as_bytes("1"));
  server.writer.write_part(usual_form, Slice::copy_of("2"));
  server.writer.end(usual_form);
  server.writer.write_continue();
  server.writer.write(usual_form, server.head(), as_bytes("hello"));
  EXPECT_EQ(written_text(server.output), usual_response + usual_start +
                                             "transfer-encoding: chunked\r\n\r\n1\r\n1\r\n1\r\n2\r\n0\r\n\r\n" +
                                             "HTTP/1.1 100 Continue\r\n\r\n" + usual_response);
}

}  // namespace
}  // namespace trunkline::session::http1
