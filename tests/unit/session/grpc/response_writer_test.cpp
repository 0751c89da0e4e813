// SPDX-License-Identifier: MIT
// ResponseWriter: the fields of responses, which blocks are encoded once, and how a status is cut to the peer's limit.
#include "session/grpc/response_writer.h"

#include "codec/base64.h"
#include "kit/session_end.h"
#include "session/web/rpc_status.h"
#include "unit/session/counted_codec.h"
#include "unit/session/grpc/written_blocks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::grpc {
namespace {

using web::Format;

/// The writer of a server, and the peer that decodes what it writes.
struct ServerWriter {
  WrittenBlock headers(std::uint32_t stream = 1, const Compressor* compressor = nullptr,
                       const Metadata* leading = nullptr) {
    writer.write_headers(stream, codec, compressor, leading);
    return blocks.take_one();
  }
  WrittenBlock trailers(const Status& status = {}, const Metadata* trailing = nullptr) {
    writer.write_trailers(1, status, trailing);
    return blocks.take_one();
  }
  WrittenBlock trailers_only(const Status& status, const Metadata* trailing = nullptr) {
    writer.write_trailers_only(1, 200, &codec, status, trailing);
    return blocks.take_one();
  }
  WrittenBlock refusal(std::uint32_t http_status, std::string_view allowed = web::methods_of_calls,
                       const std::string* cors_origin = nullptr) {
    writer.write_refusal(1, http_status, Status(StatusCode::unimplemented, "no call"), allowed, cors_origin, 12, false);
    return blocks.take_one();
  }
  WrittenBlock web_head(const web::ResponseHead& head, bool is_end = false) {
    writer.write_web_head(1, head, is_end);
    return blocks.take_one();
  }
  web::ResponseHead head_of(Format format) const { return {.format = format, .codec = &codec}; }
  void set_table_bytes(std::uint32_t bytes) {
    writer.set_peer_max_table_bytes(bytes);
    blocks.set_max_table_bytes(bytes);
  }

  CountedCodec codec{"text"};
  web::MessageEncodings encodings{&kit::snappy_compressors()};
  http::http2::Settings peer;
  base::OutputQueue output;
  ResponseWriter writer{encodings, peer, output};
  WrittenBlocks blocks{output};
};

FieldList grpc_response(FieldList more = {}) {
  FieldList fields{
      {":status", "200"}, {"content-type", "application/grpc+text"}, {"grpc-accept-encoding", "identity,snappy"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

const Metadata& mixed_metadata() {
  static const Metadata metadata{{"k", "1"}, {"data-bin", std::string("\0\xFF~", 3)}, {"k", " 2 "}, {"empty-bin", ""}};
  return metadata;
}

FieldList mixed_fields(FieldList before, const std::string& prefix = {}) {
  const FieldList sent{{"k", "1"}, {"data-bin", "AP9+"}, {"k", "2"}, {"empty-bin", ""}};
  for (const auto& [name, value] : sent) before.emplace_back(prefix + name, value);
  return before;
}

Status detailed(std::size_t detail_bytes, std::string_view message = "gone") {
  Status status(StatusCode::not_found, message);
  status.add_detail("a/b", std::string(detail_bytes, 'd'));
  return status;
}

std::string base64_details_of(const Status& status) {
  BufferWriter serialized;
  web::append_rpc_status(status, serialized);
  BufferWriter text;
  codec::append_unpadded_base64(serialized.bytes(), text);
  return std::string(as_text(text.bytes()));
}

TEST(ResponseWriter, WritesTheHeadersOfACall) {
  ServerWriter server;
  const WrittenBlock block = server.headers(9);
  EXPECT_EQ(block.stream, 9u);
  EXPECT_FALSE(block.is_end);
  EXPECT_EQ(block.frames.size(), 1u);
  EXPECT_EQ(block.fields, grpc_response());
}

TEST(ResponseWriter, NamesTheCompressorAndWritesLeadingMetadata) {
  ServerWriter server;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(server.headers(1, &kit::snappy()).fields, grpc_response({{"grpc-encoding", "snappy"}}));
    EXPECT_EQ(server.headers(1, nullptr, &mixed_metadata()).fields, mixed_fields(grpc_response()));
    EXPECT_EQ(server.headers(1, &kit::snappy(), &mixed_metadata()).fields,
              mixed_fields(grpc_response({{"grpc-encoding", "snappy"}})));
    EXPECT_EQ(server.headers().fields, grpc_response());
  }
}

TEST(ResponseWriter, KeepsMetadataOutOfTheTable) {
  ServerWriter server;
  static_cast<void>(server.headers());
  static_cast<void>(server.trailers());
  const std::uint64_t revision = server.blocks.table().revision();
  static_cast<void>(server.headers(1, nullptr, &mixed_metadata()));
  static_cast<void>(server.trailers({}, &mixed_metadata()));
  EXPECT_EQ(server.blocks.table().revision(), revision);
}

TEST(ResponseWriter, EndsACallWithItsStatus) {
  ServerWriter server;

  WrittenBlock block = server.trailers();
  EXPECT_TRUE(block.is_end);
  EXPECT_EQ(block.fields, (FieldList{{"grpc-status", "0"}}));

  block = server.trailers(Status(StatusCode::not_found, "gone \xC3\xA4%\n"));
  EXPECT_TRUE(block.is_end);
  EXPECT_EQ(block.fields, (FieldList{{"grpc-status", "5"}, {"grpc-message", "gone %C3%A4%25%0A"}}));

  EXPECT_EQ(server.trailers(Status(StatusCode::internal, "")).fields, (FieldList{{"grpc-status", "13"}}));
  EXPECT_EQ(server.trailers().fields, (FieldList{{"grpc-status", "0"}}));
}

TEST(ResponseWriter, EndsACallWithDetailsAndAPause) {
  ServerWriter server;
  Status status = detailed(10);
  status.set_retry_after(std::chrono::milliseconds(250));

  EXPECT_EQ(server.trailers(status, &mixed_metadata()).fields,
            mixed_fields({{"grpc-status", "5"},
                          {"grpc-message", "gone"},
                          {"grpc-status-details-bin", base64_details_of(status)},
                          {"grpc-retry-pushback-ms", "250"}}));
}

TEST(ResponseWriter, WritesTrailingMetadataAlsoOfASuccess) {
  ServerWriter server;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(server.trailers({}, &mixed_metadata()).fields, mixed_fields({{"grpc-status", "0"}}));
    EXPECT_EQ(server.trailers().fields, (FieldList{{"grpc-status", "0"}}));
  }
}

TEST(ResponseWriter, RepeatsHeadersOnceTheTableDoesNotChange) {
  ServerWriter server;
  static_cast<void>(server.headers());
  const WrittenBlock second = server.headers();
  EXPECT_TRUE(server.codec.take_asked());

  const Metadata empty;
  for (std::uint32_t stream = 5; stream < 40; stream += 2) {
    const WrittenBlock block = server.headers(stream, nullptr, stream % 4 == 1 ? nullptr : &empty);
    EXPECT_EQ(block.stream, stream);
    EXPECT_FALSE(block.is_end);
    EXPECT_EQ(block.bytes, second.bytes);
    EXPECT_EQ(block.fields, grpc_response());
  }
  EXPECT_FALSE(server.codec.take_asked());
}

TEST(ResponseWriter, RepeatsTrailersOnceTheTableDoesNotChange) {
  ServerWriter server;
  static_cast<void>(server.trailers());
  const std::string second = server.trailers().bytes;
  EXPECT_EQ(second.size(), 1u);
  for (int i = 0; i < 5; ++i) {
    const WrittenBlock block = server.trailers();
    EXPECT_TRUE(block.is_end);
    EXPECT_EQ(block.bytes, second);
  }
}

/// The places of older fields move with each new one, so what was encoded before says something else.
TEST(ResponseWriter, EncodesBlocksAgainAfterTheTableHasChanged) {
  ServerWriter server;
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(server.headers());
    static_cast<void>(server.trailers());
    static_cast<void>(server.web_head(server.head_of(Format::connect_unary)));
  }
  for (const StatusCode code : {StatusCode::internal, StatusCode::not_found, StatusCode::aborted}) {
    const std::uint64_t revision = server.blocks.table().revision();
    EXPECT_EQ(server.trailers(Status(code, "x")).value("grpc-message"), "x");
    EXPECT_NE(server.blocks.table().revision(), revision);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(server.trailers().fields, (FieldList{{"grpc-status", "0"}}));
      EXPECT_EQ(server.headers().fields, grpc_response());
      EXPECT_EQ(server.web_head(server.head_of(Format::connect_unary)).fields,
                (FieldList{{":status", "200"}, {"content-type", "application/text"}}));
    }
  }
}

TEST(ResponseWriter, EncodesHeadersAgainForAnotherCodec) {
  ServerWriter server;
  const CountedCodec other("other");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(server.headers().value("content-type"), "application/grpc+text");
    for (int k = 0; k < 3; ++k) {
      server.writer.write_headers(1, other, nullptr, nullptr);
      EXPECT_EQ(server.blocks.take_one().value("content-type"), "application/grpc+other");
    }
  }
}

/// Without a table a block has all of its text.
TEST(ResponseWriter, KeepsNoBlockThatIsLong) {
  ServerWriter server;
  const std::string name(200, 'z');
  CountedCodec other(name);
  server.set_table_bytes(0);
  for (int i = 0; i < 5; ++i) {
    server.writer.write_headers(1, other, nullptr, nullptr);
    const WrittenBlock block = server.blocks.take_one();
    EXPECT_GT(block.bytes.size(), 96u);
    EXPECT_EQ(block.value("content-type"), "application/grpc+" + name);
    EXPECT_TRUE(other.take_asked());
    EXPECT_EQ(server.trailers().fields, (FieldList{{"grpc-status", "0"}}));
    server.writer.write_web_head(1, {.format = Format::plain, .codec = &other}, false);
    EXPECT_EQ(server.blocks.take_one().value("content-type"), "application/" + name);
    EXPECT_TRUE(other.take_asked());
  }
}

TEST(ResponseWriter, EncodesBlocksAgainAfterThePeerHasChangedItsTable) {
  ServerWriter server;
  const auto expect_usual = [&server](bool has_update) {
    EXPECT_EQ(server.headers().fields, grpc_response());
    EXPECT_EQ(server.blocks.had_size_update(), has_update);
    EXPECT_EQ(server.trailers().fields, (FieldList{{"grpc-status", "0"}}));
    EXPECT_FALSE(server.blocks.had_size_update());
    EXPECT_EQ(server.web_head(server.head_of(Format::grpc_web)).value("content-type"), "application/grpc-web+text");
    EXPECT_FALSE(server.blocks.had_size_update());
  };
  for (int i = 0; i < 3; ++i) expect_usual(false);

  server.set_table_bytes(0);
  expect_usual(true);
  EXPECT_EQ(server.blocks.table().size(), 0u);
  for (int i = 0; i < 3; ++i) expect_usual(false);
  server.set_table_bytes(4096);
  expect_usual(true);
  for (int i = 0; i < 3; ++i) expect_usual(false);

  // The peer waits for the least size, although the last one is that from before.
  server.set_table_bytes(0);
  server.set_table_bytes(4096);
  expect_usual(true);
  for (int i = 0; i < 3; ++i) expect_usual(false);
}

/// Whichever block comes first begins with the size update.
TEST(ResponseWriter, BeginsEachKindOfBlockWithASizeUpdate) {
  ServerWriter server;
  const std::string origin = "https://a";
  std::uint32_t bytes = 4096;
  const auto expect_update = [&](auto write) {
    for (int i = 0; i < 3; ++i) write();
    EXPECT_FALSE(server.blocks.had_size_update());
    server.set_table_bytes(bytes -= 100);
    write();
    EXPECT_TRUE(server.blocks.had_size_update());
  };
  expect_update([&] { static_cast<void>(server.headers()); });
  expect_update([&] { static_cast<void>(server.trailers()); });
  expect_update([&] { static_cast<void>(server.trailers_only(Status(StatusCode::internal, "x"))); });
  expect_update([&] { static_cast<void>(server.refusal(404)); });
  expect_update([&] { static_cast<void>(server.web_head(server.head_of(Format::plain))); });
  expect_update([&] {
    server.writer.write_continue(1);
    static_cast<void>(server.blocks.take_one());
  });
  expect_update([&] {
    server.writer.write_preflight(1, origin, {});
    static_cast<void>(server.blocks.take_one());
  });
}

TEST(ResponseWriter, AnswersACallWithoutMessagesInOneBlock) {
  ServerWriter server;
  const WrittenBlock block = server.trailers_only(Status(StatusCode::unimplemented, "no method"), &mixed_metadata());
  EXPECT_TRUE(block.is_end);
  EXPECT_EQ(block.fields, mixed_fields(grpc_response({{"grpc-status", "12"}, {"grpc-message", "no method"}})));

  EXPECT_EQ(server.trailers_only({}).fields, grpc_response({{"grpc-status", "0"}}));
}

/// A request whose codec is unknown is refused as well.
TEST(ResponseWriter, AnswersACallWithoutACodec) {
  ServerWriter server;
  server.writer.write_trailers_only(3, 415, nullptr, Status(StatusCode::invalid_argument, "no codec"), nullptr);
  const WrittenBlock block = server.blocks.take_one();
  EXPECT_EQ(block.stream, 3u);
  EXPECT_TRUE(block.is_end);
  EXPECT_EQ(block.fields, (FieldList{{":status", "415"},
                                     {"content-type", "application/grpc"},
                                     {"grpc-accept-encoding", "identity,snappy"},
                                     {"grpc-status", "3"},
                                     {"grpc-message", "no codec"}}));
}

TEST(ResponseWriter, CutsAMessageToThePeersList) {
  ServerWriter server;
  const Status status(StatusCode::internal, std::string(5000, 'x'));
  server.peer.max_header_list_size = 1000;

  // Of 1000 bytes, 256 are for the fields of the protocol, 45 for grpc-status and 44 for what grpc-message costs.
  EXPECT_EQ(server.trailers(status).value("grpc-message"), std::string(655, 'x'));
  EXPECT_EQ(server.trailers_only(status).value("grpc-message"), std::string(655, 'x'));
  // Trailing metadata leaves less.
  const Metadata metadata{{"k", std::string(99, 'v')}};
  EXPECT_EQ(server.trailers(status, &metadata).value("grpc-message"), std::string(655 - 132, 'x'));
  EXPECT_EQ(server.trailers_only(status, &metadata).value("grpc-message"), std::string(655 - 132, 'x'));
  // The peer's SETTINGS count as they are when the block is written.
  server.peer.max_header_list_size = 1001;
  EXPECT_EQ(server.trailers(status).value("grpc-message"), std::string(656, 'x'));
}

/// Without a limit a message is still no longer than what gRPC's own clients take.
TEST(ResponseWriter, CutsALongMessageForEveryPeer) {
  ServerWriter server;
  const Status status(StatusCode::internal, std::string(100000, 'x'));
  EXPECT_EQ(server.trailers(status).value("grpc-message"), std::string(4096, 'x'));
  EXPECT_EQ(server.trailers(Status(StatusCode::internal, std::string(4096, 'y'))).value("grpc-message"),
            std::string(4096, 'y'));
}

TEST(ResponseWriter, CutsAMessageBetweenCharacters) {
  ServerWriter server;
  server.peer.max_header_list_size = 1000;
  std::string text;
  for (int i = 0; i < 400; ++i) text += "\xE2\x82\xAC";
  const std::string message = server.trailers(Status(StatusCode::internal, text)).value("grpc-message");
  // Each character takes nine bytes as percent-encoding.
  EXPECT_EQ(message.size(), 655u / 9 * 9);
  EXPECT_TRUE(message.ends_with("%E2%82%AC"));
}

/// The code is always there, although the list is then longer than the peer says that it takes.
TEST(ResponseWriter, WritesTheCodeEvenWithoutRoom) {
  for (const std::uint32_t limit : {0u, 1u, 256u, 300u, 344u}) {
    ServerWriter server;
    server.peer.max_header_list_size = limit;
    EXPECT_EQ(server.trailers(detailed(100)).fields, (FieldList{{"grpc-status", "5"}})) << limit;
    EXPECT_EQ(server.trailers_only(detailed(100)).fields, grpc_response({{"grpc-status", "5"}})) << limit;
  }
}

TEST(ResponseWriter, KeepsTheListWithinEveryLimitOfThePeer) {
  const Metadata metadata{{"k", "v"}, {"data-bin", std::string(50, 'b')}};
  for (std::uint32_t limit = 500; limit < 30000; limit += 613) {
    for (const Metadata* trailing : {static_cast<const Metadata*>(nullptr), &metadata}) {
      for (const std::size_t detail_bytes : {std::size_t{0}, std::size_t{100}, std::size_t{6000}}) {
        ServerWriter server;
        server.peer.max_header_list_size = limit;
        const Status status = detail_bytes > 0 ? detailed(detail_bytes, std::string(5000, 'x'))
                                               : Status(StatusCode::not_found, std::string(5000, 'x'));
        EXPECT_LE(server.trailers(status, trailing).list_bytes(), web::certain_list_bytes(limit)) << limit;
        EXPECT_LE(server.trailers_only(status, trailing).list_bytes(), web::certain_list_bytes(limit)) << limit;
      }
    }
  }
}

/// The fields of a refusal, and a pause, may take more than what is kept free for most lists.
TEST(ResponseWriter, KeepsLongListsWithinTheLimitOfThePeer) {
  const std::string origin = "https://" + std::string(60, 'a') + ".example";
  Status status(StatusCode::unimplemented, std::string(5000, 'x'));
  for (std::uint32_t limit = 1000; limit < 12000; limit += 613) {
    ServerWriter server;
    server.peer.max_header_list_size = limit;
    for (const std::uint32_t http_status : {404u, 405u, 415u}) {
      for (const std::string* const cors_origin : {static_cast<const std::string*>(nullptr), &origin}) {
        server.writer.write_refusal(1, http_status, status, "DELETE, GET, HEAD, PATCH, POST, PUT", cors_origin, 12,
                                    false);
        EXPECT_LE(server.blocks.take_one().list_bytes(), web::certain_list_bytes(limit)) << http_status << " " << limit;
      }
    }
    Status paused = status;
    paused.set_retry_after(std::chrono::hours(100'000));
    EXPECT_LE(server.trailers_only(paused).list_bytes(), web::certain_list_bytes(limit)) << limit;
    EXPECT_LE(server.trailers(paused).list_bytes(), web::certain_list_bytes(limit)) << limit;
  }
}

TEST(ResponseWriter, LeavesOutDetailsThatAreTooLong) {
  ServerWriter server;
  server.peer.max_header_list_size = 1000;
  const Status short_details = detailed(100);
  EXPECT_EQ(server.trailers(short_details).value("grpc-status-details-bin"), base64_details_of(short_details));

  const WrittenBlock block = server.trailers(detailed(2000));
  EXPECT_FALSE(block.has("grpc-status-details-bin"));
  EXPECT_TRUE(block.value("grpc-message").starts_with("gone (details of ")) << block.value("grpc-message");
}

TEST(ResponseWriter, LeavesNoRestOfAStatusInTheNextOne) {
  ServerWriter server;
  Status long_status = detailed(50);
  long_status.set_retry_after(std::chrono::seconds(1));
  static_cast<void>(server.trailers(long_status, &mixed_metadata()));
  EXPECT_EQ(server.trailers(Status(StatusCode::internal, "")).fields, (FieldList{{"grpc-status", "13"}}));
  static_cast<void>(server.trailers_only(long_status));
  EXPECT_EQ(server.trailers().fields, (FieldList{{"grpc-status", "0"}}));
}

TEST(ResponseWriter, RefusesWhatIsNoCallWithAText) {
  ServerWriter server;
  EXPECT_EQ(server.refusal(404).fields, (FieldList{{":status", "404"},
                                                   {"content-type", "text/plain; charset=utf-8"},
                                                   {"x-content-type-options", "nosniff"},
                                                   {"content-length", "12"},
                                                   {"grpc-status", "12"},
                                                   {"grpc-message", "no call"}}));
}

TEST(ResponseWriter, NamesTheMethodsOfHttpThatAPathTakes) {
  ServerWriter server;
  EXPECT_EQ(server.refusal(405).value("allow"), "GET, POST");
  EXPECT_EQ(server.refusal(405, "POST").value("allow"), "POST");
  for (const std::uint32_t other : {400u, 404u, 415u, 505u}) {
    const WrittenBlock block = server.refusal(other, "POST");
    EXPECT_EQ(block.value(":status"), std::to_string(other));
    EXPECT_FALSE(block.has("allow"));
    EXPECT_EQ(block.has("accept-post"), other == 415);
  }
}

TEST(ResponseWriter, LetsPagesOfAnOriginReadARefusal) {
  ServerWriter server;
  const std::string origin = "https://app.example";
  const WrittenBlock block = server.refusal(404, "GET", &origin);
  EXPECT_EQ(block.value("access-control-allow-origin"), origin);
  EXPECT_EQ(block.value("vary"), "origin");
  EXPECT_TRUE(block.has("access-control-expose-headers"));
  EXPECT_FALSE(server.refusal(404).has("access-control-allow-origin"));
}

/// The answer to HEAD has the length of the text, and no text.
TEST(ResponseWriter, EndsARefusalWithoutContent) {
  ServerWriter server;
  server.writer.write_refusal(1, 404, Status(StatusCode::not_found, "x"), {}, nullptr, 77, true);
  WrittenBlock block = server.blocks.take_one();
  EXPECT_TRUE(block.is_end);
  EXPECT_EQ(block.value("content-length"), "77");

  server.writer.write_refusal(1, 404, Status(StatusCode::not_found, "x"), {}, nullptr, 77, false);
  EXPECT_FALSE(server.blocks.take_one().is_end);
}

TEST(ResponseWriter, LetsAClientGoOn) {
  ServerWriter server;
  server.writer.write_continue(5);
  const WrittenBlock block = server.blocks.take_one();
  EXPECT_EQ(block.stream, 5u);
  EXPECT_FALSE(block.is_end);
  EXPECT_EQ(block.fields, (FieldList{{":status", "100"}}));
  EXPECT_EQ(server.blocks.table().size(), 0u);
}

TEST(ResponseWriter, AnswersAPreflight) {
  ServerWriter server;
  server.writer.write_preflight(3, "https://app.example", "x-a, x-b");
  const WrittenBlock block = server.blocks.take_one();
  EXPECT_EQ(block.stream, 3u);
  EXPECT_TRUE(block.is_end);
  EXPECT_EQ(block.value(":status"), "204");
  EXPECT_EQ(block.value("access-control-allow-origin"), "https://app.example");
  EXPECT_EQ(block.value("vary"), "origin, access-control-request-headers");
  EXPECT_EQ(block.value("access-control-allow-methods"), "GET, POST");
  EXPECT_EQ(block.value("access-control-max-age"), "7200");
  EXPECT_TRUE(block.value("access-control-allow-headers").ends_with(", x-a, x-b"));
  EXPECT_EQ(block.fields.size(), 6u);
}

TEST(ResponseWriter, AllowsNoHeadersOfAPreflightThatAreNoTokens) {
  ServerWriter server;
  server.writer.write_preflight(1, "https://a", {});
  const std::string usual = server.blocks.take_one().value("access-control-allow-headers");
  EXPECT_TRUE(usual.starts_with("content-type, "));
  for (const std::string_view wanted : {"x-a\r\nset-cookie: b", "x-a;b", "\"x\"", "x\xC3\xA4"}) {
    server.writer.write_preflight(1, "https://a", wanted);
    EXPECT_EQ(server.blocks.take_one().value("access-control-allow-headers"), usual);
  }
}

TEST(ResponseWriter, WritesTheHeadOfEachFormat) {
  const std::vector<std::pair<Format, FieldList>> expected{
      {Format::grpc_web, {{"content-type", "application/grpc-web+text"}, {"grpc-accept-encoding", "identity,snappy"}}},
      {Format::grpc_web_text,
       {{"content-type", "application/grpc-web-text+text"}, {"grpc-accept-encoding", "identity,snappy"}}},
      {Format::connect_stream,
       {{"content-type", "application/connect+text"}, {"connect-accept-encoding", "identity,snappy"}}},
      {Format::connect_unary, {{"content-type", "application/text"}}},
      {Format::plain, {{"content-type", "application/text"}}},
      {Format::lines, {{"content-type", "application/x-ndjson"}, {"cache-control", "no-store"}}},
      {Format::events, {{"content-type", "text/event-stream"}, {"cache-control", "no-store"}}},
      {Format::route, {}}};
  // One connection has calls in all formats, and each comes again after the others.
  ServerWriter server;
  for (int round = 0; round < 3; ++round) {
    for (const auto& [format, more] : expected) {
      FieldList fields{{":status", "200"}};
      fields.insert(fields.end(), more.begin(), more.end());
      for (int i = 0; i < 3; ++i) {
        const WrittenBlock block = server.web_head(server.head_of(format));
        EXPECT_FALSE(block.is_end);
        EXPECT_EQ(block.fields, fields) << static_cast<int>(format) << " in " << round << " at " << i;
      }
    }
  }
}

TEST(ResponseWriter, RepeatsTheHeadOfAFormatAndCodec) {
  ServerWriter server;
  const web::ResponseHead unary = server.head_of(Format::connect_unary);
  static_cast<void>(server.web_head(unary));
  const std::string second = server.web_head(unary).bytes;
  EXPECT_TRUE(server.codec.take_asked());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(server.web_head(unary).bytes, second);
  EXPECT_FALSE(server.codec.take_asked());

  const CountedCodec other("other");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(server.web_head({.format = Format::connect_unary, .codec = &other}).value("content-type"),
              "application/other");
  }
  EXPECT_EQ(server.web_head(unary).value("content-type"), "application/text");
}

/// Whatever sets a head apart from the usual one is written, and the usual one comes again without it.
TEST(ResponseWriter, WritesHeadsThatAreNotUsual) {
  ServerWriter server;
  const std::string origin = "https://app.example";
  const Status error(StatusCode::not_found, "gone");
  const Metadata metadata{{"k", "v"}};
  const web::ResponseHead usual = server.head_of(Format::connect_unary);
  const FieldList usual_fields{{":status", "200"}, {"content-type", "application/text"}};
  const auto expect = [&](web::ResponseHead head, const FieldList& fields, bool is_end = false) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(server.web_head(usual).fields, usual_fields);
    for (int i = 0; i < 3; ++i) {
      const WrittenBlock block = server.web_head(head, is_end);
      EXPECT_EQ(block.fields, fields);
      EXPECT_EQ(block.is_end, is_end);
    }
  };
  web::ResponseHead head = usual;
  head.compressor = &kit::snappy();
  expect(head, {{":status", "200"}, {"content-type", "application/text"}, {"content-encoding", "snappy"}});
  head = usual;
  head.leading = &metadata;
  expect(head, {{":status", "200"}, {"content-type", "application/text"}, {"k", "v"}});
  head = usual;
  head.trailing = &metadata;
  expect(head, {{":status", "200"}, {"content-type", "application/text"}, {"trailer-k", "v"}});
  head = usual;
  head.status = &error;
  expect(head, {{":status", "404"}, {"content-type", "application/json"}});
  head.http_error = 405;
  expect(head, {{":status", "405"}, {"content-type", "application/json"}, {"allow", "POST"}});
  head = usual;
  head.cors_origin = &origin;
  expect(head, {{":status", "200"},
                {"access-control-allow-origin", origin},
                {"vary", "origin"},
                {"access-control-expose-headers", "grpc-status, grpc-message, grpc-status-details-bin, *"},
                {"content-type", "application/text"}});
  expect(usual, usual_fields, true);
}

TEST(ResponseWriter, WritesWhatTheHandlerOfARouteHasSet) {
  ServerWriter server;
  const Metadata leading{{"trunkline-status", "404"}, {"content-type", "text/html"}, {"x-bin", "raw"}};
  web::ResponseHead head = server.head_of(Format::route);
  head.leading = &leading;
  head.content_bytes = 5;
  EXPECT_EQ(server.web_head(head).fields,
            (FieldList{{":status", "404"}, {"content-type", "text/html"}, {"x-bin", "raw"}, {"content-length", "5"}}));

  head.leading = nullptr;
  head.content_bytes = 7;
  EXPECT_EQ(server.web_head(head).fields, (FieldList{{":status", "200"}, {"content-length", "7"}}));
  head.content_bytes.reset();
  EXPECT_EQ(server.web_head(head).fields, (FieldList{{":status", "200"}}));
}

TEST(ResponseWriter, CountsItsBlocks) {
  ServerWriter server;
  EXPECT_EQ(server.writer.blocks(), 0u);
  // Of these, some are written in full and some are copied.
  for (std::uint64_t i = 1; i <= 5; ++i) {
    static_cast<void>(server.headers());
    EXPECT_EQ(server.writer.blocks(), 3 * i - 2);
    static_cast<void>(server.trailers());
    EXPECT_EQ(server.writer.blocks(), 3 * i - 1);
    static_cast<void>(server.web_head(server.head_of(Format::plain)));
    EXPECT_EQ(server.writer.blocks(), 3 * i);
  }
  server.writer.write_continue(1);
  server.writer.write_preflight(1, "https://a", {});
  EXPECT_EQ(server.writer.blocks(), 17u);
  EXPECT_EQ(server.blocks.take().size(), 2u);

  // A block in several frames counts once.
  const Metadata metadata{{"long", std::string(40000, '~')}};
  static_cast<void>(server.headers(1, nullptr, &metadata));
  EXPECT_EQ(server.writer.blocks(), 18u);
}

TEST(ResponseWriter, SplitsLongBlocksIntoFrames) {
  ServerWriter server;
  const Metadata metadata{{"long", std::string(40000, '~')}};

  WrittenBlock block = server.headers(7, nullptr, &metadata);
  EXPECT_EQ(block.frames.size(), 3u);
  EXPECT_EQ(block.frames.front(), 16384u);
  EXPECT_EQ(block.stream, 7u);
  EXPECT_FALSE(block.is_end);
  EXPECT_EQ(block.fields, grpc_response({{"long", std::string(40000, '~')}}));

  block = server.trailers({}, &metadata);
  EXPECT_EQ(block.frames.size(), 3u);
  EXPECT_TRUE(block.is_end);
  EXPECT_EQ(block.value("long"), std::string(40000, '~'));

  // The peer's SETTINGS count as they are when the block is written.
  server.peer.max_frame_size = 20000;
  EXPECT_EQ(server.trailers({}, &metadata).frames[1], 20000u);
  server.peer.max_frame_size = 65536;
  EXPECT_EQ(server.trailers({}, &metadata).frames.size(), 1u);
}

TEST(ResponseWriter, SplitsABlockThatIsOneByteTooLong) {
  ServerWriter server;
  for (int i = 0; i < 2; ++i) static_cast<void>(server.trailers());
  Metadata metadata{{"long", std::string(16300, '~')}};
  const std::size_t first = server.trailers({}, &metadata).bytes.size();

  metadata.set("long", std::string(16300 + 16384 - first, '~'));
  EXPECT_EQ(server.trailers({}, &metadata).frames, std::vector<std::size_t>{16384});
  metadata.set("long", std::string(16300 + 16385 - first, '~'));
  EXPECT_EQ(server.trailers({}, &metadata).frames, (std::vector<std::size_t>{16384, 1}));
}

TEST(ResponseWriter, CountsTheBytesOfAList) {
  EXPECT_EQ(ResponseWriter::list_bytes({}), 0u);
  EXPECT_EQ(ResponseWriter::list_bytes({{"k", ""}}), 33u);
  EXPECT_EQ(ResponseWriter::list_bytes({{"k", "12"}, {"name", "123"}}), 35u + 39u);
}

/// Values of binary names count as the base64 that is sent.
TEST(ResponseWriter, CountsTheBytesOfAListAsTheyAreSent) {
  ServerWriter server;
  for (std::size_t size = 0; size < 20; ++size) {
    const Metadata metadata{{"data-bin", std::string(size, 'b')}, {"k", std::string(size, 'v')}};
    const std::size_t usual = server.trailers().list_bytes();
    EXPECT_EQ(ResponseWriter::list_bytes(metadata), server.trailers({}, &metadata).list_bytes() - usual) << size;
  }
}

}  // namespace
}  // namespace trunkline::session::grpc
