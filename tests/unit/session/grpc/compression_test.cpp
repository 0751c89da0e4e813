// SPDX-License-Identifier: MIT
// GrpcServerSession: messages that are compressed, the fields that say so, and limits on what they decompress to.
#include "unit/session/grpc/http2_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trunkline::session::grpc {
namespace {

using http::http2::FrameType;
using testing::HasSubstr;

const Compressor& snappy() { return *kit::snappy_compressors().find("snappy"); }

std::string compressed(std::string_view content) {
  BufferWriter out;
  EXPECT_TRUE(snappy().compress_unsized(as_bytes(content), out).is_ok());
  return std::string(as_text(out.bytes()));
}

/// A message as it stands in DATA, with the flag of compressed ones.
std::string compressed_message(std::string_view content) {
  std::string message = Http2Client::message(compressed(content));
  message[0] = 1;
  return message;
}

/// Decompresses each message, and answers a call that ends with its message.
struct Echo {
  explicit Echo(Http2Client& to, const Compressor* with = &snappy()) : client(to), compressor(with) {
    client.on_event = [this](Event& event) {
      if (event.type != EventType::call) return;
      accepted = event.accepted_compressors;
      status = client.session().decompress(event);
      content = std::string(as_text(event.payload));
      further_bytes = event.credit.further_bytes;
      static_cast<void>(client.session().finish(event.id, status, kit::payload(content, compressor), nullptr, false));
    };
  }
  Http2Client& client;
  const Compressor* compressor;
  CompressorSet accepted;
  Status status;
  std::string content;
  std::uint32_t further_bytes = 0;
};

std::vector<Sent> call(Http2Client& client, const Fields& fields, std::string_view message) {
  client.feed(Http2Client::preface());
  client.sent();
  client.feed(client.headers(1, Http2Client::request("/a/B", fields)) + Http2Client::data(1, message, true));
  return client.sent();
}

TEST(GrpcCompression, DecompressesARequestAndCompressesTheResponse) {
  const std::string content(100'000, 'x');
  Http2Client client;
  Echo echo(client);

  const std::vector<Sent> frames = call(client, {{"grpc-encoding", "snappy"}, {"grpc-accept-encoding", "gzip, snappy"}},
                                        compressed_message(content));

  EXPECT_EQ(echo.content, content);
  // An unread message takes 16 bytes beside its own, and 5 have come with its prefix.
  EXPECT_EQ(echo.further_bytes, content.size() - compressed(content).size() + 11);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].fields.at("grpc-encoding"), "snappy");
  EXPECT_EQ(frames[0].fields.at("grpc-accept-encoding"), "identity,snappy");
  EXPECT_EQ(frames[1].payload, compressed_message(content));
}

TEST(GrpcCompression, DoesNotUseWhatTheClientDoesNotAccept) {
  const std::string content(10'000, 'x');
  for (const std::string accepted : {"", "gzip", "identity"}) {
    Http2Client client;
    Echo echo(client);

    const std::vector<Sent> frames = call(client, {{"grpc-accept-encoding", accepted}}, Http2Client::message(content));

    EXPECT_TRUE(echo.accepted.empty()) << accepted;
    ASSERT_EQ(frames.size(), 3u) << accepted;
    EXPECT_EQ(frames[0].fields.count("grpc-encoding"), 0u) << accepted;
    EXPECT_EQ(frames[1].payload, Http2Client::message(content)) << accepted;
  }
}

TEST(GrpcCompression, RefusesUnknownEncodingsAndNamesTheKnownOnes) {
  Http2Client client;
  Echo echo(client);

  const std::vector<Sent> frames = call(client, {{"grpc-encoding", "br"}}, Http2Client::message("x"));

  const std::vector<Sent> headers = Http2Client::of_type(frames, FrameType::headers);
  ASSERT_EQ(headers.size(), 1u);
  EXPECT_EQ(headers[0].fields.at("grpc-status"), "12");
  EXPECT_EQ(headers[0].fields.at("grpc-accept-encoding"), "identity,snappy");
}

TEST(GrpcCompression, StopsAtTheLongestMessage) {
  SessionOptions options = kit::plain_options();
  options.limits.max_message_bytes = 100'000;
  for (const std::size_t size : {100'000, 100'001}) {
    Http2Client client(options);
    Echo echo(client);

    call(client, {{"grpc-encoding", "snappy"}}, compressed_message(std::string(size, 'x')));

    EXPECT_EQ(echo.status.code(), size > 100'000 ? StatusCode::resource_exhausted : StatusCode::ok);
  }
}

TEST(GrpcCompression, StopsAtTheRatioBeyond64KiB) {
  SessionOptions options = kit::plain_options();
  options.limits.max_decompression_ratio = 2;
  for (const std::size_t size : {65536, 65537}) {
    Http2Client client(options);
    Echo echo(client);

    call(client, {{"grpc-encoding", "snappy"}}, compressed_message(std::string(size, 'x')));

    EXPECT_EQ(echo.status.code(), size > 65536 ? StatusCode::resource_exhausted : StatusCode::ok);
    if (size > 65536) {
      EXPECT_THAT(std::string(echo.status.message()), HasSubstr("max_decompression_ratio"));
    }
  }
}

TEST(GrpcCompression, RefusesWhatIsCorrupt) {
  Http2Client client;
  Echo echo(client);
  std::string message = compressed_message(std::string(1000, 'x'));
  // Of the checksum, which stands behind the message's prefix, the stream identifier and the header of a chunk.
  constexpr std::size_t checksum = 5 + 10 + 4;
  message[checksum] = static_cast<char>(message[checksum] ^ 1);

  const std::vector<Sent> frames = call(client, {{"grpc-encoding", "snappy"}}, message);

  EXPECT_EQ(echo.status.code(), StatusCode::internal);
  EXPECT_EQ(frames.back().fields.at("grpc-status"), "13");
}

TEST(GrpcCompression, CodecOfResponsesIsKnownBeforeTheFirstMessage) {
  Http2Client client;
  const Codec* codec = nullptr;
  const Codec* response_codec = nullptr;
  client.on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    codec = event.codec;
    response_codec = event.response_codec;
    client.session().attach(event.id, &client);
  };
  client.feed(Http2Client::preface());

  client.feed(client.headers(1, Http2Client::request("/a/B")));

  EXPECT_EQ(codec, nullptr);
  ASSERT_NE(response_codec, nullptr);
  EXPECT_EQ(response_codec->name(), "bytes");
}

TEST(GrpcCompression, CompressorOfRequestsIsKnownBeforeTheFirstMessage) {
  for (const std::string_view encoding : {"snappy", "identity"}) {
    Http2Client client;
    const Compressor* compressor = nullptr;
    client.on_event = [&](Event& event) {
      if (event.type != EventType::call) return;
      compressor = event.compressor_of_request();
      client.session().attach(event.id, &client);
    };
    client.feed(Http2Client::preface());

    client.feed(client.headers(1, Http2Client::request("/a/B", {{"grpc-encoding", std::string(encoding)}})));

    EXPECT_EQ(compressor, encoding == "snappy" ? &snappy() : nullptr) << encoding;
  }
}

}  // namespace
}  // namespace trunkline::session::grpc
