// SPDX-License-Identifier: MIT
// Messages that one side cannot or may not accept: codecs, compressors, sizes, and bytes that do not parse.
#include "scenario/both_ends.h"

#include <trunkline/value.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
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

/// Compresses a message of equal bytes to one of them, and a message of 'c' to one that is corrupt. The unsized form
/// has the size behind it.
class RunLength final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "run-length"; }
  Status compress(ByteSpan input, BufferWriter& out) const override {
    ++compressed;
    out.append(input.first(1));
    return {};
  }
  Status decompress(ByteSpan input, MutableByteSpan out) const override {
    ++decompressed;
    if (input[0] == std::byte{'c'}) return {StatusCode::invalid_argument, "corrupt"};
    std::fill(out.begin(), out.end(), input[0]);
    return {};
  }
  bool has_unsized_form() const noexcept override { return true; }
  Status compress_unsized(ByteSpan input, BufferWriter& out) const override {
    Status status = compress(input, out);
    out.append(std::to_string(input.size()));
    return status;
  }
  Status decompress_unsized(ByteSpan input, std::size_t limit, BufferWriter& out) const override {
    const std::size_t size = std::stoul(std::string(Slice::copy_of(input.subspan(1)).text()));
    if (size > limit) return {StatusCode::resource_exhausted, "over the limit"};
    Status status = decompress(input.first(1), out.prepare(size).first(size));
    if (status.is_ok()) out.advance(size);
    return status;
  }

  mutable int compressed = 0;
  mutable int decompressed = 0;
};

TEST_F(MessageCoding, ACodecThatOnlyTheClientKnowsIsRefusedByTheServer) {
  channel_options.codecs.add(std::make_shared<PlainText>("plain-text"));
  handle_echo();

  const Status status = begin("Echo", "x", {.codec = "plain-text"})->status();
  const auto next = begin("Echo", "y");

  const bool is_web = is_connect() || protocol() == "grpc-web";
  EXPECT_EQ(status.code(), is_web ? StatusCode::unknown : StatusCode::unimplemented) << status.to_string();
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr(is_web
                    ? "HTTP status 415 with content-type text/plain: the method is of another kind, or the server lacks"
                : is_over_http() ? "content-type application/grpc+plain-text is not known"
                                 : "codec plain-text"));
  EXPECT_EQ(status.may_have_run(), may_have_run_if_refused());
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
  if (is_connect()) GTEST_SKIP() << "the response of a unary call over Connect does not say what the server knows";
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

/// The server's limit is known once its hello has come; over gRPC a client never learns it.
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
  EXPECT_EQ(there.may_have_run(), may_have_run_if_refused());
  EXPECT_EQ(here.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(here.message()), HasSubstr("1001"));
  EXPECT_EQ(here.origin(), is_over_http() ? StatusOrigin::peer : StatusOrigin::local);
  EXPECT_EQ(here.may_have_run(), may_have_run_if_refused());
  EXPECT_EQ(longest->text().size(), 1000u);
  EXPECT_EQ(server().totals().calls_started, 1u);
}

TEST_F(MessageCoding, ALongRequestOverTheLimitIsRefusedAfterItsFirstPiece) {
  server_options.limits.max_message_bytes = 300000;
  handle_echo();

  const Status status = begin("Echo", std::string(2000000, 'x'))->status();
  const auto longest = begin("Echo", std::string(300000, 'x'));

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted) << status.to_string();
  EXPECT_EQ(status.may_have_run(), may_have_run_if_refused());
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
  EXPECT_EQ(server().totals().calls_failed, is_over_http() ? 0u : 1u)
      << "over gRPC a server does not know a client's limit";
}

TEST_F(MessageCoding, ARequestThatDoesNotParseIsAnInvalidArgumentAndHasNotRun) {
  channel_options.codecs.add(std::make_shared<PlainText>("json"));
  int runs = 0;
  server().handle<Value, Value>("Tree", [&](const Value& request, ServerContext&) { return ++runs, request; });

  const Status status = begin("Tree", "{\"cut\": ", {.codec = "json"})->status();
  const auto next = begin("Tree", "[1]", {.codec = "json"});

  EXPECT_EQ(status.code(), StatusCode::invalid_argument) << status.to_string();
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  EXPECT_EQ(status.may_have_run(), may_have_run_if_refused());
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

TEST_F(MessageCoding, AResponseWithoutAMessageIsUnimplementedWhereOneIsWanted) {
  server().handle<std::string, Empty>("Quiet", [](const std::string&, ServerContext&) { return Empty(); });
  Result<Empty> none;

  const Status status = begin("Quiet", "x")->status();
  channel().async_call<Empty>("Quiet", std::string("x"), {}, [&](Result<Empty> result) { none = std::move(result); });
  settle();

  // A body of Connect without bytes is a message without bytes.
  EXPECT_EQ(status.code(), is_connect() ? StatusCode::ok : StatusCode::unimplemented) << status.to_string();
  EXPECT_TRUE(none.is_ok()) << none.status().to_string();
}

// --- streams ---

using asio::use_awaitable;

class CompressedStream : public BothEnds {
 protected:
  static constexpr std::size_t message_bytes = 90000;

  CompressedStream() {
    channel_options.compressors.add(compressor);
    channel_options.compressor = "run-length";
    channel_options.limits.max_message_bytes = channel_options.limits.max_unread_bytes = 100000;
    channel_options.limits.max_decompression_ratio = 1u << 20;
    server_options.compressors.add(compressor);
    server_options.compressor = "run-length";
    server_options.limits = channel_options.limits;
  }
  template <class Stream>
  asio::awaitable<Status> write(Stream& stream, std::string_view kinds) {
    for (const char kind : kinds) {
      const std::string message(message_bytes, kind);
      Status status = co_await stream.async_write(message, use_awaitable);
      if (!status.is_ok()) co_return status;
    }
    co_return Status();
  }
  /// What write() was given, up to the end or the first error.
  template <class Stream>
  asio::awaitable<Status> read(Stream& stream) {
    for (;;) {
      const Result<std::optional<std::string>> message = co_await stream.async_read(use_awaitable);
      if (!message.is_ok() || !message.value().has_value()) co_return message.status();
      EXPECT_EQ(message.value()->size(), message_bytes);
      kinds_read += message.value()->front();
    }
  }

  const std::shared_ptr<RunLength> compressor = std::make_shared<RunLength>();
  std::string kinds_read;
};

TEST_F(CompressedStream, OfRequestsWaitsForItsReaderAsItCame) {
  Gate gate(loop());
  handle_echo();
  begin("Echo", "so that the server's names are known");
  server().handle_client_stream<std::string, std::string>(
      "Drink",
      [&](ServerReader<std::string>& reader, std::string& response, ServerContext&) -> asio::awaitable<Status> {
        co_await gate.pass();
        Status status = co_await read(reader);
        response = kinds_read;
        co_return status;
      });
  auto stream = channel().client_stream<std::string, std::string>("Drink");
  std::optional<Result<std::optional<std::string>>> answer;
  stream.async_read([&](Result<std::optional<std::string>> result) { answer = std::move(result); });
  spawn([&]() -> asio::awaitable<void> {
    const Status written = co_await write(stream, "abdefghi");
    EXPECT_TRUE(written.is_ok()) << written.to_string();
    static_cast<void>(co_await stream.async_close_writes(use_awaitable));
  });
  const int decompressed_unread = compressor->decompressed;
  gate.open();
  settle();

  EXPECT_EQ(compressor->compressed, 8);
  EXPECT_EQ(decompressed_unread, 0);
  EXPECT_EQ(kinds_read, "abdefghi");
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->is_ok()) << answer->status().to_string();
}

TEST_F(CompressedStream, OfResponsesWaitsForItsReaderAsItCame) {
  server().handle_server_stream<std::string, std::string>(
      "Flood", [this](const std::string&, ServerWriter<std::string>& writer, ServerContext&) {
        return write(writer, "abdefghi");
      });
  auto stream = channel().server_stream<std::string>("Flood", std::string("go"));
  std::optional<Status> finished;
  stream.async_finish([&](Status status) { finished = std::move(status); });
  settle();

  const int decompressed_unread = compressor->decompressed;
  Status end;
  spawn([&]() -> asio::awaitable<void> { end = co_await read(stream); });

  EXPECT_EQ(decompressed_unread, 0);
  EXPECT_EQ(kinds_read, "abdefghi");
  EXPECT_TRUE(end.is_ok()) << end.to_string();
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(CompressedStream, OfRequestsThatIsCorruptFailsTheCallEvenIfTheHandlerOverlooksIt) {
  std::optional<Status> seen;
  std::optional<Status> again;
  handle_echo();
  begin("Echo", "so that the server's names are known");
  server().handle_client_stream<std::string, std::string>(
      "Drink", [&](ServerReader<std::string>& reader, std::string&, ServerContext&) -> asio::awaitable<Status> {
        seen = co_await read(reader);
        again = co_await read(reader);
        co_return Status();
      });
  auto stream = channel().client_stream<std::string, std::string>("Drink");
  std::optional<Status> finished;
  stream.async_finish([&](Status status) { finished = std::move(status); });
  spawn([&]() -> asio::awaitable<void> {
    static_cast<void>(co_await write(stream, "acb"));
    static_cast<void>(co_await stream.async_close_writes(use_awaitable));
  });

  EXPECT_EQ(kinds_read, "a");
  ASSERT_TRUE(seen && again && finished);
  EXPECT_EQ(seen->code(), StatusCode::internal);
  EXPECT_THAT(std::string(seen->message()), HasSubstr("decompress message: run-length: corrupt"));
  EXPECT_EQ(again->code(), StatusCode::internal);
  EXPECT_EQ(finished->code(), StatusCode::internal) << finished->to_string();
  EXPECT_EQ(server().totals().calls_failed, 1u);
}

TEST_F(CompressedStream, OfResponsesThatIsCorruptEndsTheCall) {
  Status written;
  server().handle_server_stream<std::string, std::string>(
      "Flood", [&](const std::string&, ServerWriter<std::string>& writer, ServerContext&) -> asio::awaitable<Status> {
        written = co_await write(writer, "acbbbbbbbbbbbbbbbbbbbbbb");
        co_return written;
      });
  auto stream = channel().server_stream<std::string>("Flood", std::string("go"));
  Status end;
  std::optional<Status> finished;
  spawn([&]() -> asio::awaitable<void> {
    end = co_await read(stream);
    finished = co_await stream.async_finish(use_awaitable);
  });

  EXPECT_EQ(kinds_read, "a");
  EXPECT_EQ(end.code(), StatusCode::internal);
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(finished->code(), StatusCode::internal);
  EXPECT_THAT(std::string(finished->message()), HasSubstr("decompress message: run-length: corrupt"));
}

}  // namespace

}  // namespace trunkline::scenario
