// SPDX-License-Identifier: MIT
// RequestWriter: the fields of requests, which of them are encoded once for all calls of a method, and their frames.
#include "session/grpc/request_writer.h"

#include "kit/session_end.h"
#include "session/web/request_head.h"
#include "unit/session/counted_codec.h"
#include "unit/session/grpc/written_blocks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::grpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using web::Format;

/// The writer of a client, and the peer that decodes what it writes.
struct ClientWriter {
  explicit ClientWriter(bool is_encrypted = false) : writer(options, encodings, is_encrypted, peer, output) {}

  WrittenBlock write(const RequestHeaders& headers, std::uint32_t stream = 1) {
    writer.write_headers(stream, headers);
    return blocks.take_one();
  }
  /// Writes the headers until their block is kept.
  void settle(const RequestHeaders& headers) {
    for (int i = 0; i < 3; ++i) static_cast<void>(write(headers));
  }
  /// The peer announces another SETTINGS_HEADER_TABLE_SIZE.
  void set_table_bytes(std::uint32_t bytes) {
    writer.set_peer_max_table_bytes(bytes);
    blocks.set_max_table_bytes(bytes);
  }
  /// A call of the method `key`, which is named by it.
  RequestHeaders call(std::uint32_t key = 1) {
    names.push_back("test/Method" + std::to_string(key));
    return {.method = {.key = key, .name = names.back()}, .codec = &codec};
  }

  CountedCodec codec{"text"};
  std::deque<std::string> names;
  SessionOptions options = [] {
    SessionOptions made = kit::plain_options();
    made.user_agent = "agent/1";
    return made;
  }();
  web::MessageEncodings encodings{options.compressors};
  http::http2::Settings peer;
  base::OutputQueue output;
  RequestWriter writer;
  WrittenBlocks blocks{output};
};

/// The fields of a usual call of gRPC with the path, and more behind them.
FieldList grpc_call(std::string path, FieldList more = {}) {
  FieldList fields{{":method", "POST"},
                   {":scheme", "http"},
                   {":path", std::move(path)},
                   {":authority", "localhost"},
                   {"content-type", "application/grpc+text"},
                   {"te", "trailers"},
                   {"user-agent", "agent/1"},
                   {"grpc-accept-encoding", "identity,snappy"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

/// The fields of a POST of another protocol, up to those that all requests have.
FieldList web_call(std::string content_type, FieldList more) {
  FieldList fields{{":method", "POST"},
                   {":scheme", "http"},
                   {":path", "/test/Method1"},
                   {":authority", "localhost"},
                   {"content-type", std::move(content_type)},
                   {"user-agent", "agent/1"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

TEST(RequestWriter, WritesTheFieldsOfACallOfGrpc) {
  ClientWriter client;

  const WrittenBlock block = client.write(client.call(), 7);

  EXPECT_EQ(block.stream, 7u);
  EXPECT_FALSE(block.is_end);
  EXPECT_EQ(block.frames.size(), 1u);
  EXPECT_EQ(block.fields, grpc_call("/test/Method1"));
}

TEST(RequestWriter, NamesTheServerAndItself) {
  ClientWriter client(true);
  client.options.authority = "server:443";
  client.options.user_agent.clear();

  const WrittenBlock block = client.write(client.call());

  EXPECT_EQ(block.value(":scheme"), "https");
  EXPECT_EQ(block.value(":authority"), "server:443");
  EXPECT_EQ(block.value("user-agent"), web::user_agent_of(client.options));
  EXPECT_NE(block.value("user-agent"), "");
}

TEST(RequestWriter, WritesTheFieldsOfEachFormat) {
  const std::vector<std::pair<Format, FieldList>> expected{
      {Format::grpc, grpc_call("/test/Method1")},
      {Format::grpc_web, web_call("application/grpc-web+text", {{"grpc-accept-encoding", "identity,snappy"}})},
      {Format::grpc_web_text,
       web_call("application/grpc-web-text+text",
                {{"accept", "application/grpc-web-text"}, {"grpc-accept-encoding", "identity,snappy"}})},
      {Format::connect_stream, web_call("application/connect+text", {{"connect-protocol-version", "1"},
                                                                     {"connect-accept-encoding", "identity,snappy"}})},
      {Format::connect_unary,
       web_call("application/text", {{"connect-protocol-version", "1"}, {"accept-encoding", "identity,snappy"}})}};
  for (const auto& [format, fields] : expected) {
    ClientWriter client;
    RequestHeaders headers = client.call();
    headers.format = format;
    // The block is written in full at first, and later copied.
    for (int i = 0; i < 4; ++i) {
      const WrittenBlock block = client.write(headers);
      EXPECT_EQ(block.fields, fields) << static_cast<int>(format) << " at " << i;
      EXPECT_FALSE(block.is_end);
    }
  }
}

TEST(RequestWriter, NamesTheCompressorOfEachFormat) {
  const std::vector<std::pair<Format, std::string>> expected{{Format::grpc, "grpc-encoding"},
                                                             {Format::grpc_web, "grpc-encoding"},
                                                             {Format::grpc_web_text, "grpc-encoding"},
                                                             {Format::connect_stream, "connect-content-encoding"},
                                                             {Format::connect_unary, "content-encoding"}};
  for (const auto& [format, name] : expected) {
    ClientWriter client;
    RequestHeaders headers = client.call();
    headers.format = format;
    headers.compressor = &kit::snappy();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(client.write(headers).value(name), "snappy") << name << " at " << i;
    headers.compressor = nullptr;
    EXPECT_FALSE(client.write(headers).has(name)) << name;
  }
}

TEST(RequestWriter, EncodesTheNameOfAMethodForItsPath) {
  const std::vector<std::pair<std::string, std::string>> expected{
      {"", "/"},
      {"a/b", "/a/b"},
      {"a b?c#d%e", "/a%20b%3Fc%23d%25e"},
      {"\xC3\xA4", "/%C3%A4"},
      {std::string("x\r\n\0", 4), "/x%0D%0A%00"},
  };
  for (const auto& [name, path] : expected) {
    ClientWriter client;
    EXPECT_EQ(client.write({.method = {.name = name}, .codec = &client.codec}).value(":path"), path);
  }
}

TEST(RequestWriter, WritesAGetWithItsQueryAndWithoutABody) {
  ClientWriter client;
  RequestHeaders headers = client.call();
  headers.format = Format::connect_unary;
  headers.query = "?connect=v1&encoding=text&message=1";
  headers.compressor = &kit::snappy();
  headers.timeout = milliseconds(20);

  const WrittenBlock block = client.write(headers, 5);

  EXPECT_EQ(block.stream, 5u);
  EXPECT_TRUE(block.is_end);
  EXPECT_EQ(block.fields, (FieldList{{":method", "GET"},
                                     {":scheme", "http"},
                                     {":path", "/test/Method1?connect=v1&encoding=text&message=1"},
                                     {":authority", "localhost"},
                                     {"user-agent", "agent/1"},
                                     {"connect-protocol-version", "1"},
                                     {"accept-encoding", "identity,snappy"},
                                     {"connect-timeout-ms", "20"}}));
}

/// Each GET has another path, so neither the table nor the writer keeps it.
TEST(RequestWriter, KeepsNoGet) {
  ClientWriter client;
  RequestHeaders get = client.call();
  get.format = Format::connect_unary;
  get.query = "?message=1";
  client.settle(get);
  const std::uint64_t revision = client.blocks.table().revision();

  for (const char* query : {"?message=2", "?message=33", "?message=1"}) {
    get.query = query;
    EXPECT_EQ(client.write(get).value(":path"), std::string("/test/Method1") + query);
  }
  EXPECT_FALSE(client.writer.knows(get.method));
  EXPECT_EQ(client.blocks.table().revision(), revision);
}

TEST(RequestWriter, DoesNotTakeTheBlockOfAPostForAGet) {
  ClientWriter client;
  RequestHeaders post = client.call();
  post.format = Format::connect_unary;
  client.settle(post);
  RequestHeaders get = post;
  get.query = "?message=1";

  const WrittenBlock block = client.write(get);
  EXPECT_EQ(block.value(":method"), "GET");
  EXPECT_EQ(block.value(":path"), "/test/Method1?message=1");
  EXPECT_TRUE(block.is_end);

  const WrittenBlock after = client.write(post);
  EXPECT_EQ(after.value(":method"), "POST");
  EXPECT_EQ(after.value(":path"), "/test/Method1");
  EXPECT_FALSE(after.is_end);
}

TEST(RequestWriter, WritesTheTimeThatIsLeft) {
  const std::vector<std::pair<nanoseconds, std::string>> grpc{{milliseconds(1500), "1500m"},
                                                              {nanoseconds(1), "1n"},
                                                              {nanoseconds(0), "1n"},
                                                              {nanoseconds(-5), "1n"},
                                                              {std::chrono::hours(2), "2H"}};
  const std::vector<std::pair<nanoseconds, std::string>> connect{{milliseconds(1500), "1500"},
                                                                 {nanoseconds(1), "1"},
                                                                 {nanoseconds(0), "1"},
                                                                 {nanoseconds(-5), "1"},
                                                                 {std::chrono::hours(24 * 365), "9999999999"}};
  for (const Format format : {Format::grpc, Format::grpc_web, Format::grpc_web_text}) {
    ClientWriter client;
    RequestHeaders headers = client.call();
    headers.format = format;
    for (const auto& [timeout, text] : grpc) {
      headers.timeout = timeout;
      EXPECT_EQ(client.write(headers).value("grpc-timeout"), text);
    }
    headers.timeout.reset();
    EXPECT_FALSE(client.write(headers).has("grpc-timeout"));
  }
  for (const Format format : {Format::connect_stream, Format::connect_unary}) {
    ClientWriter client;
    RequestHeaders headers = client.call();
    headers.format = format;
    for (const auto& [timeout, text] : connect) {
      headers.timeout = timeout;
      EXPECT_EQ(client.write(headers).value("connect-timeout-ms"), text);
    }
    headers.timeout.reset();
    EXPECT_FALSE(client.write(headers).has("connect-timeout-ms"));
  }
}

/// Timeouts differ from call to call, and their name does not.
TEST(RequestWriter, BringsTheNameOfTheTimeoutIntoTheTableOnce) {
  ClientWriter client;
  RequestHeaders headers = client.call();
  client.settle(headers);
  const std::uint32_t before = client.blocks.table().size();

  headers.timeout = milliseconds(1234);
  static_cast<void>(client.write(headers));
  ASSERT_EQ(client.blocks.table().size(), before + 1);
  EXPECT_EQ(client.blocks.table().name(client.blocks.table()[0]), "grpc-timeout");

  for (int i = 1; i < 50; ++i) {
    headers.timeout = milliseconds(1234 + i);
    const WrittenBlock block = client.write(headers);
    EXPECT_EQ(block.value("grpc-timeout"), std::to_string(1234 + i) + "m");
    EXPECT_EQ(block.bytes.find("grpc-timeout"), std::string::npos);
  }
  EXPECT_EQ(client.blocks.table().size(), before + 1);
}

TEST(RequestWriter, CountsTheAttemptsBefore) {
  for (const Format format : {Format::grpc, Format::grpc_web, Format::grpc_web_text}) {
    ClientWriter client;
    RequestHeaders headers = client.call();
    headers.format = format;
    EXPECT_FALSE(client.write(headers).has("grpc-previous-rpc-attempts"));
    headers.previous_attempts = 3;
    EXPECT_EQ(client.write(headers).value("grpc-previous-rpc-attempts"), "3");
    client.settle(headers);
    headers.previous_attempts = 0xFFFFFFFF;
    EXPECT_EQ(client.write(headers).value("grpc-previous-rpc-attempts"), "4294967295");
    headers.previous_attempts = 0;
    EXPECT_FALSE(client.write(headers).has("grpc-previous-rpc-attempts"));
  }
}

/// Connect has no such field.
TEST(RequestWriter, CountsNoAttemptsForConnect) {
  for (const Format format : {Format::connect_stream, Format::connect_unary}) {
    ClientWriter client;
    RequestHeaders headers = client.call();
    headers.format = format;
    const FieldList first = client.write(headers).fields;
    headers.previous_attempts = 3;
    EXPECT_EQ(client.write(headers).fields, first);
  }
}

TEST(RequestWriter, WritesMetadataInItsOrder) {
  ClientWriter client;
  const Metadata metadata{{"k", "1"},         {"data-bin", std::string("\0\xFF~", 3)},
                          {"empty-bin", ""},  {"k", "2"},
                          {"padded", "  x "}, {"blank", "   "},
                          {"none", ""},       {"one-bin", "a"}};
  RequestHeaders headers = client.call();
  headers.metadata = &metadata;
  const FieldList expected = grpc_call("/test/Method1", {{"k", "1"},
                                                         {"data-bin", "AP9+"},
                                                         {"empty-bin", ""},
                                                         {"k", "2"},
                                                         {"padded", "x"},
                                                         {"blank", ""},
                                                         {"none", ""},
                                                         {"one-bin", "YQ"}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client.write(headers).fields, expected) << i;
}

/// What an application sends may be secret, and it may differ from call to call.
TEST(RequestWriter, KeepsMetadataOutOfTheTable) {
  ClientWriter client;
  RequestHeaders headers = client.call();
  client.settle(headers);
  const std::uint64_t revision = client.blocks.table().revision();
  const Metadata metadata{{"authorization", "Bearer x"}, {"data-bin", "1"}};
  headers.metadata = &metadata;
  headers.previous_attempts = 2;
  client.settle(headers);
  EXPECT_EQ(client.blocks.table().revision(), revision);
}

TEST(RequestWriter, PutsWhatDiffersBehindWhatIsShared) {
  ClientWriter client;
  const Metadata metadata{{"k", "v"}};
  RequestHeaders headers = client.call();
  headers.compressor = &kit::snappy();
  headers.timeout = std::chrono::seconds(1);
  headers.previous_attempts = 1;
  headers.metadata = &metadata;
  const FieldList expected =
      grpc_call("/test/Method1",
                {{"grpc-encoding", "snappy"}, {"grpc-timeout", "1S"}, {"grpc-previous-rpc-attempts", "1"}, {"k", "v"}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client.write(headers).fields, expected) << i;
}

TEST(RequestWriter, RepeatsABlockOnceTheTableDoesNotChange) {
  ClientWriter client;
  const RequestHeaders headers = client.call();
  static_cast<void>(client.write(headers));
  EXPECT_FALSE(client.writer.knows(headers.method));
  const WrittenBlock second = client.write(headers);
  EXPECT_TRUE(client.writer.knows(headers.method));
  EXPECT_TRUE(client.codec.take_asked());
  const std::uint64_t revision = client.blocks.table().revision();

  for (std::uint32_t stream = 5; stream < 50; stream += 2) {
    const WrittenBlock block = client.write(headers, stream);
    EXPECT_EQ(block.stream, stream);
    EXPECT_EQ(block.bytes, second.bytes);
    EXPECT_EQ(block.fields, grpc_call("/test/Method1"));
  }
  // The shared fields of the following call are the same.
  const Metadata empty;
  const Metadata metadata{{"k", "v"}};
  RequestHeaders other = headers;
  other.metadata = &empty;
  EXPECT_EQ(client.write(other).bytes, second.bytes);
  other.metadata = &metadata;
  EXPECT_TRUE(client.write(other).bytes.starts_with(second.bytes));
  EXPECT_FALSE(client.codec.take_asked());
  EXPECT_EQ(client.blocks.table().revision(), revision);
}

/// The places of older fields move with each new one, so what was encoded before says something else.
TEST(RequestWriter, EncodesABlockAgainAfterAnotherMethodHasEnteredTheTable) {
  ClientWriter client;
  const RequestHeaders one = client.call(1);
  client.settle(one);
  const std::string before = client.write(one).bytes;
  const RequestHeaders two = client.call(2);

  EXPECT_EQ(client.write(two).fields, grpc_call("/test/Method2"));
  EXPECT_FALSE(client.writer.knows(two.method));
  const WrittenBlock again = client.write(one);
  EXPECT_EQ(again.fields, grpc_call("/test/Method1"));
  EXPECT_NE(again.bytes, before);
  EXPECT_EQ(client.write(two).fields, grpc_call("/test/Method2"));

  // Both are kept now.
  static_cast<void>(client.codec.take_asked());
  EXPECT_EQ(client.write(one).bytes, again.bytes);
  EXPECT_EQ(client.write(two).fields, grpc_call("/test/Method2"));
  EXPECT_FALSE(client.codec.take_asked());
}

TEST(RequestWriter, EncodesABlockAgainForAnotherCodecCompressorOrFormat) {
  ClientWriter client;
  CountedCodec other_codec("other");
  const RequestHeaders usual = client.call();
  RequestHeaders with_codec = usual;
  with_codec.codec = &other_codec;
  RequestHeaders with_compressor = usual;
  with_compressor.compressor = &kit::snappy();
  RequestHeaders with_format = usual;
  with_format.format = Format::grpc_web;
  for (const RequestHeaders& headers : {usual, with_codec, with_compressor, with_format}) client.settle(headers);

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.write(usual).fields, grpc_call("/test/Method1"));
    EXPECT_EQ(client.write(with_codec).value("content-type"), "application/grpc+other");
    EXPECT_EQ(client.write(usual).fields, grpc_call("/test/Method1"));
    EXPECT_EQ(client.write(with_compressor).fields, grpc_call("/test/Method1", {{"grpc-encoding", "snappy"}}));
    EXPECT_EQ(client.write(usual).fields, grpc_call("/test/Method1"));
    EXPECT_EQ(client.write(with_format).value("content-type"), "application/grpc-web+text");
  }
}

TEST(RequestWriter, EncodesABlockAgainAfterThePeerHasChangedItsTable) {
  ClientWriter client;
  const RequestHeaders headers = client.call();
  client.settle(headers);
  const std::string before = client.write(headers).bytes;

  client.set_table_bytes(0);
  const WrittenBlock without = client.write(headers);
  EXPECT_TRUE(client.blocks.had_size_update());
  EXPECT_EQ(without.fields, grpc_call("/test/Method1"));
  EXPECT_EQ(client.blocks.table().size(), 0u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.write(headers).fields, grpc_call("/test/Method1"));
    EXPECT_FALSE(client.blocks.had_size_update());
  }

  client.set_table_bytes(4096);
  EXPECT_EQ(client.write(headers).fields, grpc_call("/test/Method1"));
  EXPECT_TRUE(client.blocks.had_size_update());
  client.settle(headers);
  EXPECT_EQ(client.write(headers).bytes, before);
}

/// The peer waits for the least size, although the last one is that from before.
TEST(RequestWriter, EncodesABlockAgainAfterTheTableWasSmallForAMoment) {
  ClientWriter client;
  const RequestHeaders headers = client.call();
  client.settle(headers);

  client.set_table_bytes(0);
  client.set_table_bytes(4096);
  EXPECT_EQ(client.write(headers).fields, grpc_call("/test/Method1"));
  EXPECT_TRUE(client.blocks.had_size_update());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.write(headers).fields, grpc_call("/test/Method1"));
}

/// A call that shares its first fields with others begins with the size update as well.
TEST(RequestWriter, WritesASizeUpdateBeforeAnUncommonCall) {
  ClientWriter client;
  RequestHeaders headers = client.call();
  client.settle(headers);
  headers.timeout = std::chrono::seconds(2);
  client.settle(headers);

  client.set_table_bytes(64);
  EXPECT_EQ(client.write(headers).fields, grpc_call("/test/Method1", {{"grpc-timeout", "2S"}}));
  EXPECT_TRUE(client.blocks.had_size_update());
  EXPECT_LE(client.blocks.table().bytes(), 64u);
}

TEST(RequestWriter, KeepsNothingForAMethodWithoutAKey) {
  ClientWriter client;
  RequestHeaders headers = client.call();
  headers.method.key = 0;
  client.settle(headers);
  EXPECT_FALSE(client.writer.knows(headers.method));
  static_cast<void>(client.codec.take_asked());
  headers.method.name = "other";
  EXPECT_EQ(client.write(headers).fields, grpc_call("/other"));
  EXPECT_TRUE(client.codec.take_asked());
}

TEST(RequestWriter, KeepsTheBlocksOfAThousandKeys) {
  ClientWriter client;
  const RequestHeaders last = client.call(1023);
  client.settle(last);
  EXPECT_TRUE(client.writer.knows(last.method));
  EXPECT_FALSE(client.writer.knows({.key = 1, .name = "test/Method1"}));

  for (const std::uint32_t key : {1024u, 1025u, 0xFFFFFFFFu}) {
    const RequestHeaders beyond = client.call(key);
    client.settle(beyond);
    EXPECT_FALSE(client.writer.knows(beyond.method));
    EXPECT_EQ(client.write(beyond).fields, grpc_call("/test/Method" + std::to_string(key)));
  }
  EXPECT_EQ(client.write(last).fields, grpc_call("/test/Method1023"));
}

/// Evictions would change the table with each call of a method whose path is not in it.
TEST(RequestWriter, EvictsNothingFromTheTable) {
  ClientWriter client;
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back(std::string(200, 'm') + std::to_string(i));
  const auto write = [&](std::size_t i) {
    const WrittenBlock block =
        client.write({.method = {.key = static_cast<std::uint32_t>(i + 1), .name = names[i]}, .codec = &client.codec});
    EXPECT_EQ(block.fields, grpc_call("/" + names[i]));
  };
  for (std::size_t i = 0; i < names.size(); ++i) write(i);

  const http::hpack::DynamicTable& table = client.blocks.table();
  const std::uint64_t revision = table.revision();
  EXPECT_LE(table.bytes(), table.max_bytes());
  EXPECT_GT(table.bytes(), table.max_bytes() - 250);
  EXPECT_EQ(table.value(table[table.size() - 1]), "/" + names[0]);
  for (std::size_t i = 0; i < names.size(); ++i) write(i);
  EXPECT_EQ(table.revision(), revision);

  // The block of a path that has found no room is long, and is not kept.
  EXPECT_TRUE(client.writer.knows({.key = 1, .name = names[0]}));
  EXPECT_FALSE(client.writer.knows({.key = 50, .name = names[49]}));
}

TEST(RequestWriter, SplitsALongBlockIntoFrames) {
  ClientWriter client;
  RequestHeaders headers = client.call();
  client.settle(headers);
  const Metadata metadata{{"long", std::string(40000, '~')}};
  headers.metadata = &metadata;

  const WrittenBlock block = client.write(headers, 9);

  ASSERT_EQ(block.frames.size(), 3u);
  EXPECT_EQ(block.frames[0], 16384u);
  EXPECT_EQ(block.frames[1], 16384u);
  EXPECT_EQ(block.stream, 9u);
  EXPECT_FALSE(block.is_end);
  EXPECT_EQ(block.fields, grpc_call("/test/Method1", {{"long", std::string(40000, '~')}}));

  // The peer's SETTINGS count as they are when the block is written.
  client.peer.max_frame_size = 20000;
  EXPECT_EQ(client.write(headers).frames[1], 20000u);
  client.peer.max_frame_size = 65536;
  EXPECT_EQ(client.write(headers).frames.size(), 1u);
}

TEST(RequestWriter, SplitsABlockThatIsOneByteTooLong) {
  ClientWriter client;
  RequestHeaders headers = client.call();
  client.settle(headers);
  Metadata metadata{{"long", std::string(16300, '~')}};
  headers.metadata = &metadata;
  const std::size_t first = client.write(headers).bytes.size();

  metadata.set("long", std::string(16300 + 16384 - first, '~'));
  EXPECT_EQ(client.write(headers).frames, std::vector<std::size_t>{16384});
  metadata.set("long", std::string(16300 + 16385 - first, '~'));
  EXPECT_EQ(client.write(headers).frames, (std::vector<std::size_t>{16384, 1}));
}

/// The end of the stream is said by HEADERS, and not by what continues it.
TEST(RequestWriter, EndsTheStreamOfALongGet) {
  ClientWriter client;
  RequestHeaders headers = client.call();
  headers.format = Format::connect_unary;
  const std::string query = "?message=" + std::string(20000, '~');
  headers.query = query;

  const WrittenBlock block = client.write(headers);

  EXPECT_EQ(block.frames.size(), 2u);
  EXPECT_TRUE(block.is_end);
  EXPECT_EQ(block.value(":path"), "/test/Method1" + query);
}

/// The writer goes on with a long block after a short one, and the other way round, without a rest of either.
TEST(RequestWriter, WritesSeveralBlocksBehindEachOther) {
  ClientWriter client;
  const RequestHeaders usual = client.call();
  const Metadata metadata{{"long", std::string(20000, '~')}};
  RequestHeaders longer = usual;
  longer.metadata = &metadata;
  for (std::uint32_t stream = 1; stream < 13; stream += 2) {
    client.writer.write_headers(stream, stream % 4 == 1 ? usual : longer);
  }
  const std::vector<WrittenBlock> blocks = client.blocks.take();
  ASSERT_EQ(blocks.size(), 6u);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].stream, 2 * i + 1);
    EXPECT_EQ(blocks[i].has("long"), i % 2 == 1);
    EXPECT_EQ(blocks[i].value(":path"), "/test/Method1");
  }
}

}  // namespace
}  // namespace trunkline::session::grpc
