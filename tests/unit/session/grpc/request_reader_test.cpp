// SPDX-License-Identifier: MIT
// RequestReader: blocks that repeat mean what their decoder's table says, whether they are decoded or remembered.
#include "session/grpc/request_reader.h"
#include "http/hpack/encoder.h"
#include "kit/session_end.h"
#include "unit/http/seed.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace trunkline::session::grpc {
namespace {

using Outcome = RequestReader::Outcome;
using http::hpack::Indexing;

struct SentField {
  std::string name;
  std::string value;
  Indexing indexing = Indexing::index;
};

struct NoRoutes final : SessionOwner {
  void on_session_wake() noexcept override {}
};
SessionOwner& no_routes() {
  static NoRoutes owner;
  return owner;
}

std::string encode(http::hpack::Encoder& encoder, const std::vector<SentField>& fields) {
  BufferWriter out;
  encoder.begin(out);
  for (const SentField& field : fields) encoder.field(field.name, field.value, field.indexing, out);
  return std::string(as_text(out.bytes()));
}

std::vector<SentField> request(std::string path, std::vector<SentField> more = {}) {
  std::vector<SentField> fields{
      {":method", "POST"}, {":scheme", "http"}, {":path", std::move(path)}, {"content-type", "application/grpc+bytes"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

TEST(RequestReader, RemembersWhatABlockMeansWhileTheTableIsTheSame) {
  const SessionOptions options = kit::plain_options();
  const web::MessageEncodings encodings(options.compressors);
  RequestReader reader(options, encodings, no_routes());
  http::hpack::Encoder encoder;
  ASSERT_EQ(reader.read(as_bytes(encode(encoder, request("/a/One", {{"grpc-timeout", "1S"}})))), Outcome::request);
  const std::string block = encode(encoder, request("/a/One", {{"grpc-timeout", "1S"}}));
  ASSERT_LT(block.size(), 10u);

  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(reader.read(as_bytes(block)), Outcome::request);
    EXPECT_EQ(reader.request().method, "a/One");
    EXPECT_EQ(reader.request().method_number, 1u);
    EXPECT_EQ(reader.request().timeout, std::chrono::seconds(1));
    ASSERT_NE(reader.request().codec, nullptr);
    EXPECT_EQ(reader.request().codec->name(), "bytes");
  }
  // A field in the table moves the others: the same bytes say something else.
  ASSERT_EQ(reader.read(as_bytes(encode(encoder, request("/a/Two", {{"grpc-timeout", "2S"}})))), Outcome::request);
  const std::string other = encode(encoder, request("/a/Two", {{"grpc-timeout", "2S"}}));
  ASSERT_EQ(reader.read(as_bytes(other)), Outcome::request);
  EXPECT_EQ(reader.request().method, "a/Two");
  EXPECT_EQ(reader.request().timeout, std::chrono::seconds(2));
}

TEST(RequestReader, DecodesAgainAfterTheTableWasEmptied) {
  const SessionOptions options = kit::plain_options();
  const web::MessageEncodings encodings(options.compressors);
  RequestReader reader(options, encodings, no_routes());
  http::hpack::Encoder encoder;
  static_cast<void>(reader.read(as_bytes(encode(encoder, request("/a/One")))));
  const std::string block = encode(encoder, request("/a/One"));
  ASSERT_EQ(reader.read(as_bytes(block)), Outcome::request);
  ASSERT_EQ(reader.read(as_bytes(block)), Outcome::request);

  // Dynamic table size update to 0, and then to 4096.
  ASSERT_EQ(reader.skip(as_bytes(std::string("\x20\x3f\xe1\x1f", 4))), Outcome::request);

  EXPECT_EQ(reader.read(as_bytes(block)), Outcome::failed);
}

TEST(RequestReader, DoesNotRememberMetadata) {
  const SessionOptions options = kit::plain_options();
  const web::MessageEncodings encodings(options.compressors);
  RequestReader reader(options, encodings, no_routes());
  http::hpack::Encoder encoder;

  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(reader.read(as_bytes(encode(encoder, request("/a/One", {{"k", "v"}})))), Outcome::request);
    EXPECT_EQ(reader.request().metadata, (Metadata{{"k", "v"}}));
    reader.request().metadata.clear();
  }
}

TEST(RequestReader, KnowsTheUserAgentOfEachRequest) {
  const SessionOptions options = kit::plain_options();
  const web::MessageEncodings encodings(options.compressors);
  RequestReader reader(options, encodings, no_routes());
  http::hpack::Encoder encoder;
  const auto agent_of = [&](std::vector<SentField> fields) -> std::string {
    EXPECT_EQ(reader.read(as_bytes(encode(encoder, request("/a/One", std::move(fields))))), Outcome::request);
    return reader.user_agent() == nullptr ? "none" : **reader.user_agent();
  };

  // The blocks repeat, so that most of them are remembered.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(agent_of({{"user-agent", "a"}}), "a");
    EXPECT_EQ(agent_of({{"user-agent", "a"}}), "a");
    EXPECT_EQ(agent_of({}), "none");
    EXPECT_EQ(agent_of({{"user-agent", "a"}}), "a");
    EXPECT_EQ(agent_of({{"user-agent", "b", Indexing::without}}), "b");
    EXPECT_EQ(agent_of({{"user-agent", "a"}, {"k", "v"}}), "a");
    EXPECT_EQ(agent_of({{"user-agent", "b"}}), "b");
    EXPECT_EQ(agent_of({{"user-agent", ""}}), "");
  }
  // More than a connection keeps.
  for (int i = 0; i < 100; ++i) {
    const std::string agent = "client/" + std::to_string(i % 11);
    EXPECT_EQ(agent_of({{"user-agent", agent, Indexing::without}}), agent);
  }
  EXPECT_EQ(agent_of({{"user-agent", std::string(2000, 'x')}}), std::string(max_user_agent_bytes, 'x'));
  EXPECT_EQ(reader.request().metadata, Metadata());
}

/// Random calls, with fields in the table and without, on a table that is too small for them: the reader says the same
/// as one that has never seen a block twice.
TEST(RequestReader, SaysTheSameOfBlocksThatRepeat) {
  const SessionOptions options = kit::plain_options();
  const web::MessageEncodings encodings(options.compressors);
  std::mt19937_64 random(http::seed_of_run());
  for (int round = 0; round < 50; ++round) {
    RequestReader reader(options, encodings, no_routes());
    http::hpack::Encoder encoder;
    const auto pick = [&random](std::uint64_t count) { return random() % count; };
    const auto indexing = [&] { return pick(4) == 0 ? Indexing::without : Indexing::index; };
    for (int call = 0; call < 300; ++call) {
      const std::string path = "/" + std::string(pick(3) == 0 ? 900 : 8, 'p') + "/" + std::to_string(pick(6));
      const std::uint64_t seconds = pick(3);
      const std::uint64_t length = pick(3);
      std::vector<SentField> fields = request("");
      fields[2] = {":path", path, indexing()};
      if (seconds > 0) fields.push_back({"grpc-timeout", std::to_string(seconds) + "S", indexing()});
      if (length > 0) fields.push_back({"content-length", std::to_string(length), indexing()});

      ASSERT_EQ(reader.read(as_bytes(encode(encoder, fields))), Outcome::request);

      const Request& read = reader.request();
      ASSERT_EQ(read.method, std::string_view(path).substr(1));
      ASSERT_EQ(read.timeout.value_or(base::Duration()), std::chrono::seconds(seconds));
      ASSERT_EQ(read.content_length.value_or(0), length);
      if (read.method_number != 0) {
        ASSERT_EQ(reader.method_of(read.method_number), read.method);
      }
    }
  }
}

}  // namespace
}  // namespace trunkline::session::grpc
