// SPDX-License-Identifier: MIT
// Exceptions of the application's codecs, compressors and message factories.
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>

#include <stdexcept>

namespace trunkline::server {

namespace {

/// Replaces json on the server.
class ThrowingCodec final : public Codec {
 public:
  explicit ThrowingCodec(bool on_decode) : on_decode_(on_decode) {}
  std::string_view name() const noexcept override { return "json"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter&) const override { throw std::runtime_error("encode"); }
  Status decode(const Slice&, MutableMessageView) const override {
    if (on_decode_) throw std::runtime_error("decode");
    return {};
  }

 private:
  bool on_decode_;
};

/// Replaces snappy on the server.
class ThrowingCompressor final : public Compressor {
 public:
  std::string_view name() const noexcept override { return "snappy"; }
  Status compress(ByteSpan, BufferWriter&) const override { throw std::runtime_error("compress"); }
  Status decompress(ByteSpan, MutableByteSpan) const override { throw std::runtime_error("decompress"); }
};

class WithoutMessages final : public MethodHandler {
 public:
  explicit WithoutMessages(Execution execution)
      : MethodHandler({.execution = execution,
                       .request = &MessageTraits<std::string>::type(),
                       .response = &MessageTraits<std::string>::type(),
                       .request_name = "bytes",
                       .response_name = "bytes"}) {}
  std::unique_ptr<CallMessages> make_messages() const override { throw std::bad_alloc(); }
};

class Exceptions : public ServerFixture, public ::testing::WithParamInterface<bool> {
 protected:
  void make_throwing(bool on_decode, ServerOptions options = {}) {
    options.codecs.add(std::make_shared<ThrowingCodec>(on_decode));
    make_server(options);
    handle<std::string, std::string>("Plain", [](const std::string& request, ServerContext&) { return request; });
    handle<std::string, std::string>(
        "Coroutine",
        [](const std::string& request, ServerContext&) -> asio::awaitable<std::string> { co_return request; });
    handle_echo();
  }
  std::string method() const { return GetParam() ? "Coroutine" : "Plain"; }
};

using StreamExceptions = ServerFixture;

TEST_P(Exceptions, OfADecoderEndTheCall) {
  make_throwing(true);
  TestClient& client = connect();

  const ReceivedResponse received = call(client, method(), "1", "json");
  const ReceivedResponse after = call(client, "Echo", "x");

  EXPECT_EQ(received.status.code(), StatusCode::internal);
  EXPECT_EQ(after.payload, "x") << "the connection was lost";
  EXPECT_EQ(server().totals().open_calls, 0u);
  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].message, "handler of " + method() + " threw an exception: decode");
}

TEST_P(Exceptions, OfAnEncoderEndTheCall) {
  make_throwing(false);
  TestClient& client = connect();

  const ReceivedResponse received = call(client, method(), "1", "json");
  const ReceivedResponse after = call(client, "Echo", "x");

  EXPECT_EQ(received.status.message(), "send message: encoding it threw an exception");
  EXPECT_EQ(after.payload, "x") << "the connection was lost";
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().handler_exceptions, 1u);
  ASSERT_EQ(logged_.size(), 2u);
  EXPECT_EQ(logged_[0].level, LogLevel::error);
  EXPECT_EQ(logged_[0].message, "send message: encoding it threw an exception: encode");
  EXPECT_EQ(logged_[1].method, method());
}

TEST_P(Exceptions, OfAnEncoderReachTheCallerIfTheOptionIsSet) {
  ServerOptions options;
  options.expose_exception_text = true;
  make_throwing(false, options);
  TestClient& client = connect();

  const ReceivedResponse received = call(client, method(), "1", "json");

  EXPECT_EQ(received.status.message(), "send message: encoding it threw an exception: encode");
}

TEST_P(Exceptions, OfACompressorEndTheCall) {
  ServerOptions options;
  options.compressors.add(std::make_shared<ThrowingCompressor>());
  options.compressor = "snappy";
  options.compression_threshold = 1;
  make_server(options);
  handle<Slice, Slice>("Plain", [](const Slice& request, ServerContext&) { return request; });
  handle<Slice, Slice>("Coroutine",
                       [](const Slice& request, ServerContext&) -> asio::awaitable<Slice> { co_return request; });
  TestClient& client = connect();

  const ReceivedResponse received = call(client, method(), "xxxx");

  EXPECT_EQ(received.status.message(), "send message: encoding it threw an exception");
  EXPECT_EQ(server().totals().handler_exceptions, 1u);
  ASSERT_FALSE(logged_.empty());
  EXPECT_EQ(logged_[0].message, "send message: encoding it threw an exception: compress");
}

TEST_F(StreamExceptions, OfACompressorDoNotReachTheCallerThroughTheHandler) {
  ServerOptions options;
  options.compressors.add(std::make_shared<ThrowingCompressor>());
  options.compressor = "snappy";
  options.compression_threshold = 1;
  make_server(options);
  auto pass = [](const std::string& request, ServerWriter<std::string>& writer,
                 ServerContext&) -> asio::awaitable<Status> {
    co_return co_await writer.async_write(request, asio::use_awaitable);
  };
  server().methods().add(
      "Pass", std::make_unique<detail::ServerStreamHandler<std::string, std::string, decltype(pass)>>(std::move(pass)),
      {});
  TestClient& client = connect();

  const ReceivedResponse received = call(client, "Pass", "xxxx");

  EXPECT_EQ(received.status.message(), "send message: encoding it threw an exception");
  EXPECT_EQ(server().totals().handler_exceptions, 1u);
}

TEST_P(Exceptions, WhenMessagesAreMadeEndTheCall) {
  server().methods().add("Without",
                         std::make_unique<WithoutMessages>(GetParam() ? Execution::coroutine : Execution::plain), {});
  handle_echo();
  TestClient& client = connect();

  const ReceivedResponse received = call(client, "Without", "x");
  const ReceivedResponse after = call(client, "Echo", "x");

  EXPECT_EQ(received.status.code(), StatusCode::internal);
  EXPECT_EQ(after.payload, "x");
  EXPECT_EQ(server().totals().handler_exceptions, 1u);
}

TEST_P(Exceptions, OnAnOrderedConnectionLetTheNextCallRun) {
  make_throwing(true);
  TestClient& client = connect(true);

  const session::CallId bad = client.call(method(), "1", "json");
  const session::CallId good = client.call("Coroutine", "x", "bytes");
  settle();

  EXPECT_EQ(client.response(bad).status.code(), StatusCode::internal);
  EXPECT_EQ(client.response(good).payload, "x");
}

class CodecOfStream : public Exceptions {
 protected:
  /// The status that a stream's handler returns after its first read and write.
  Status pass_on(bool on_decode, ServerOptions options = {}) {
    make_throwing(on_decode, std::move(options));
    if (GetParam()) {
      add([](Both& stream, ServerContext&) -> asio::awaitable<Status> {
        const auto read = co_await stream.async_read(asio::use_awaitable);
        if (!read.is_ok()) co_return read.status();
        co_return co_await stream.async_write("x", asio::use_awaitable);
      });
    } else {
      add([](Both& stream, ServerContext&) -> Status {
        const auto read = stream.read();
        return read.is_ok() ? stream.write("x") : read.status();
      });
    }
    TestClient& client = connect();
    const session::CallId id = client.call("Stream", "1", "json");
    settle_until([&] { return client.has(id) && server().totals().handler_exceptions > 0; });
    return client.response(id).status;
  }

 private:
  using Both = ServerStream<std::string, std::string>;
  template <class Function>
  void add(Function function) {
    server().methods().add(
        "Stream", std::make_unique<detail::StreamHandler<std::string, std::string, Function>>(std::move(function)), {});
  }
};

TEST_P(CodecOfStream, KeepsExceptionTextFromCallers) {
  EXPECT_EQ(pass_on(false).message(), "encode message: the codec threw an exception");
  EXPECT_EQ(pass_on(true).message(), "decode message: the codec threw an exception");
  ASSERT_EQ(logged_.size(), 2u);
  EXPECT_EQ(logged_[0].message, "encode message: the codec threw an exception: encode");
  EXPECT_EQ(logged_[1].message, "decode message: the codec threw an exception: decode");
  EXPECT_EQ(logged_[1].level, LogLevel::error);
  EXPECT_EQ(logged_[1].method, "Stream");
}

TEST_P(CodecOfStream, ExposesExceptionTextIfTheOptionIsSet) {
  ServerOptions options;
  options.expose_exception_text = true;

  EXPECT_EQ(pass_on(false, options).message(), "encode message: the codec threw an exception: encode");
}

TEST_F(StreamExceptions, OfADecompressorDoNotReachTheCaller) {
  ServerOptions options;
  options.compressors.add(std::make_shared<ThrowingCompressor>());
  make_server(options);
  handle_echo();
  TestClient& client = connect();
  client.compress_with("snappy");

  const ReceivedResponse received = call(client, "Echo", std::string(4000, 'x'));

  EXPECT_EQ(received.status.message(), "decompress message: snappy threw an exception");
  EXPECT_EQ(server().totals().handler_exceptions, 1u);
}

INSTANTIATE_TEST_SUITE_P(Forms, CodecOfStream, ::testing::Bool(),
                         [](const auto& form) { return form.param ? "Awaiting" : "Blocking"; });
INSTANTIATE_TEST_SUITE_P(Forms, Exceptions, ::testing::Bool(),
                         [](const auto& form) { return form.param ? "Coroutine" : "Plain"; });

}  // namespace

}  // namespace trunkline::server
