// SPDX-License-Identifier: MIT
// Messages that one side cannot or may not accept: codecs, compressors, sizes, and bytes that do not parse.
#include "scenario/both_ends.h"

#include <trunkline/value.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace trunkline::scenario {

namespace {

using MessageCoding = BothEnds;

/// A codec that copies the payload, under a name of the test's choice.
class PlainText final : public Codec {
 public:
  explicit PlainText(std::string name) : name_(std::move(name)) {}
  std::string_view name() const noexcept override { return name_; }
  bool supports(const MessageType& type) const noexcept override { return type.kind == MessageKind::bytes; }
  Status encode(MessageView message, BufferWriter& out) const override {
    out.append(*message.as<std::string>());
    return {};
  }
  Status decode(const Slice& payload, MutableMessageView message) const override {
    message.as<std::string>()->assign(payload.text());
    return {};
  }

 private:
  const std::string name_;
};

/// Compresses a message of equal bytes to one of them.
class RunLength final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "run-length"; }
  Status compress(ByteSpan input, BufferWriter& out) const override {
    ++compressed;
    out.append(input.first(1));
    return {};
  }
  Status decompress(ByteSpan input, MutableByteSpan out) const override {
    std::fill(out.begin(), out.end(), input[0]);
    return {};
  }

  mutable int compressed = 0;
};

TEST_F(MessageCoding, ACodecThatOnlyTheClientKnowsIsRefusedByTheServer) {
  channel_options.codecs.add(std::make_shared<PlainText>("plain-text"));
  handle_echo();

  const Status status = begin("Echo", "x", {.codec = "plain-text"})->status();
  const auto next = begin("Echo", "y");

  EXPECT_EQ(status.code(), StatusCode::unimplemented) << status.to_string();
  EXPECT_THAT(std::string(status.message()), HasSubstr("codec plain-text"));
  EXPECT_FALSE(status.may_have_run());
  EXPECT_EQ(next->text(), "y");
}

TEST_F(MessageCoding, ACodecThatBothKnowIsUsedBothWays) {
  channel_options.codecs.add(std::make_shared<PlainText>("plain-text"));
  server_options.codecs.add(std::make_shared<PlainText>("plain-text"));
  handle_echo();

  EXPECT_EQ(begin("Echo", "x", {.codec = "plain-text"})->text(), "x");
}

TEST_F(MessageCoding, NamesThatTheClientDoesNotKnowNeverReachTheServer) {
  handle_echo();

  const Status codec = begin("Echo", "x", {.codec = "morse"})->status();
  const Status compressor = begin("Echo", "x", {.compressor = "lzw"})->status();

  EXPECT_EQ(codec.code(), StatusCode::invalid_argument);
  EXPECT_THAT(std::string(codec.message()), HasSubstr("codec 'morse'"));
  EXPECT_FALSE(codec.may_have_run());
  EXPECT_EQ(compressor.code(), StatusCode::invalid_argument);
  EXPECT_THAT(std::string(compressor.message()), HasSubstr("compressor 'lzw'"));
  EXPECT_EQ(server().totals().calls_started + server().totals().calls_refused, 0u);
}

TEST_F(MessageCoding, ACompressorIsUsedOnlyIfTheServerKnowsIt) {
  const auto ours = std::make_shared<RunLength>();
  const auto theirs = std::make_shared<RunLength>();
  const std::string text(10000, 'x');
  channel_options.compressors.add(ours);
  const CallOptions options{.compressor = "run-length"};
  handle_echo();

  begin("Echo", "so that the server's names are known");
  const auto without = begin("Echo", text, options);
  const int compressed_without = ours->compressed;
  stop_server();
  server_options.compressors.add(theirs);
  handle_echo();
  begin("Echo", "so that the server's names are known");
  const auto with = begin("Echo", text, options);

  EXPECT_EQ(without->text(), text);
  EXPECT_EQ(compressed_without, 0);
  EXPECT_EQ(with->text(), text);
  EXPECT_EQ(ours->compressed, 1);
  EXPECT_EQ(theirs->compressed, 1) << "the response follows the request";
}

TEST_F(MessageCoding, ARequestOverTheServersLimitIsRefusedByTheServerAndLaterByTheClient) {
  server_options.limits.max_message_bytes = 1000;
  channel_options.early_calls = true;
  handle_echo();

  const Status there = begin("Echo", std::string(1001, 'x'))->status();
  const Status here = begin("Echo", std::string(1001, 'x'))->status();
  const auto longest = begin("Echo", std::string(1000, 'x'));

  EXPECT_EQ(there.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(there.message()), HasSubstr("size 1001 exceeds max_message_bytes 1000"));
  EXPECT_EQ(there.origin(), StatusOrigin::peer);
  EXPECT_FALSE(there.may_have_run());
  EXPECT_EQ(here.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(here.message()), HasSubstr("1001"));
  EXPECT_EQ(here.origin(), StatusOrigin::local);
  EXPECT_FALSE(here.may_have_run());
  EXPECT_EQ(longest->text().size(), 1000u);
  EXPECT_EQ(server().totals().calls_started, 1u);
}

TEST_F(MessageCoding, ALongRequestOverTheLimitIsRefusedAfterItsFirstPiece) {
  server_options.limits.max_message_bytes = 300000;
  handle_echo();

  const Status status = begin("Echo", std::string(2000000, 'x'))->status();
  const auto longest = begin("Echo", std::string(300000, 'x'));

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted) << status.to_string();
  EXPECT_FALSE(status.may_have_run());
  EXPECT_EQ(longest->text().size(), 300000u) << "the connection's credit has come back";
}

TEST_F(MessageCoding, AResponseOverTheClientsLimitIsAnErrorOfACallThatHasRun) {
  channel_options.limits.max_message_bytes = 1000;
  int runs = 0;
  server().handle<std::string, std::string>("Grow", [&](const std::string& request, ServerContext&) {
    ++runs;
    return std::string(std::stoul(request), 'x');
  });

  const Status status = begin("Grow", "1001")->status();
  const auto longest = begin("Grow", "1000");

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("1001"));
  EXPECT_TRUE(status.may_have_run());
  EXPECT_EQ(longest->text().size(), 1000u);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(server().totals().calls_failed, 1u);
}

TEST_F(MessageCoding, ARequestThatDoesNotParseIsAnInvalidArgumentAndHasNotRun) {
  channel_options.codecs.add(std::make_shared<PlainText>("json"));
  int runs = 0;
  server().handle<Value, Value>("Tree", [&](const Value& request, ServerContext&) { return ++runs, request; });

  const Status status = begin("Tree", "{\"cut\": ", {.codec = "json"})->status();
  const auto next = begin("Tree", "[1]", {.codec = "json"});

  EXPECT_EQ(status.code(), StatusCode::invalid_argument) << status.to_string();
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  EXPECT_FALSE(status.may_have_run());
  EXPECT_EQ(next->text(), "[1]");
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(server().totals().calls_refused, 1u);
}

TEST_F(MessageCoding, AResponseThatDoesNotParseIsInternalAndHasRun) {
  server_options.codecs.add(std::make_shared<PlainText>("json"));
  server().handle<std::string, std::string>(
      "Cut", [](const std::string& request, ServerContext&) { return request.substr(0, request.size() - 1); });
  Result<Value> response;

  channel().async_call<Value>("Cut", Value::array({1, 2}), {.codec = "json"},
                              [&](Result<Value> result) { response = std::move(result); });
  settle();

  EXPECT_EQ(response.status().code(), StatusCode::internal) << response.status().to_string();
  EXPECT_TRUE(response.status().may_have_run());
  EXPECT_EQ(server().totals().calls_ok, 1u);
}

TEST_F(MessageCoding, AResponseWithoutAMessageIsInternalWhereOneIsWanted) {
  server().handle<std::string, Empty>("Quiet", [](const std::string&, ServerContext&) { return Empty(); });
  Result<Empty> none;

  const Status status = begin("Quiet", "x")->status();
  channel().async_call<Empty>("Quiet", std::string("x"), {}, [&](Result<Empty> result) { none = std::move(result); });
  settle();

  EXPECT_EQ(status.code(), StatusCode::internal) << status.to_string();
  EXPECT_TRUE(none.is_ok()) << none.status().to_string();
}

}  // namespace

}  // namespace trunkline::scenario
