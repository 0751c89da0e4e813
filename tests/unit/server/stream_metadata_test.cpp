// SPDX-License-Identifier: MIT
// Leading metadata of streams: it goes with the first message that is sent, also after writes that failed.
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>

#include <string>

namespace trunkline::server {

namespace {

using Writer = ServerWriter<std::string>;

/// Replaces json on the server; does not encode the empty text.
class PickyCodec final : public Codec {
 public:
  std::string_view name() const noexcept override { return "json"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView message, BufferWriter& out) const override {
    const std::string& text = *static_cast<const std::string*>(message.object);
    if (text.empty()) return {StatusCode::invalid_argument, "encode: nothing to say"};
    out.append(text);
    return {};
  }
  Status decode(const Slice&, MutableMessageView) const override { return {}; }
};

class StreamMetadata : public ServerFixture {
 protected:
  template <class Function>
  void add(Function function) {
    ServerOptions options;
    options.codecs.add(std::make_shared<PickyCodec>());
    make_server(options).methods().add(
        "S", std::make_unique<detail::ServerStreamHandler<std::string, std::string, Function>>(std::move(function)),
        {});
  }
  ReceivedResponse call_stream() {
    TestClient& client = connect();
    const session::CallId id = client.call("S", "1", "json");
    settle();
    received_ = client.messages(id);
    return client.response(id);
  }
  std::vector<std::string> received_;
};

TEST_F(StreamMetadata, OutlivesAWriteThatIsNotEncoded) {
  add([](const std::string&, Writer& writer, ServerContext& context) -> asio::awaitable<Status> {
    context.add_leading_metadata("first", "1");
    const Status refused = co_await writer.async_write("", asio::use_awaitable);
    EXPECT_EQ(refused.code(), StatusCode::invalid_argument);
    context.add_leading_metadata("second", "2");
    co_return co_await writer.async_write("text", asio::use_awaitable);
  });

  const ReceivedResponse received = call_stream();

  EXPECT_TRUE(received.status.is_ok()) << received.status.to_string();
  EXPECT_EQ(received_, std::vector<std::string>{"text"});
  EXPECT_EQ(received.leading, (Metadata{{"first", "1"}, {"second", "2"}}));
}

TEST_F(StreamMetadata, OutlivesAWriteThatIsTooLong) {
  add([](const std::string&, Writer& writer, ServerContext& context) -> asio::awaitable<Status> {
    context.add_leading_metadata("first", "1");
    const Status refused = co_await writer.async_write(std::string((64 << 20) + 1, 'x'), asio::use_awaitable);
    EXPECT_EQ(refused.code(), StatusCode::resource_exhausted);
    co_return Status::ok();
  });

  const ReceivedResponse received = call_stream();

  EXPECT_TRUE(received.status.is_ok()) << received.status.to_string();
  EXPECT_EQ(received.leading, (Metadata{{"first", "1"}}));
}

TEST_F(StreamMetadata, ThatIsTooLargeFailsWritesAndTheCall) {
  add([](const std::string&, Writer& writer, ServerContext& context) -> asio::awaitable<Status> {
    context.add_leading_metadata("large", std::string(40000, 'x'));
    for (int i = 0; i < 2; ++i) {
      const Status refused = co_await writer.async_write("text", asio::use_awaitable);
      EXPECT_EQ(refused.code(), StatusCode::resource_exhausted);
    }
    co_return Status::ok();
  });

  const ReceivedResponse received = call_stream();

  EXPECT_EQ(received.status.code(), StatusCode::resource_exhausted) << received.status.to_string();
  EXPECT_TRUE(received_.empty());
  EXPECT_EQ(server().totals().calls_failed, 1u);
  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].method, "S");
}

TEST_F(StreamMetadata, ThatIsTooLargeFailsACallWithoutMessages) {
  add([](const std::string&, Writer&, ServerContext& context) -> asio::awaitable<Status> {
    context.add_leading_metadata("large", std::string(40000, 'x'));
    co_return Status::ok();
  });

  EXPECT_EQ(call_stream().status.code(), StatusCode::resource_exhausted);
}

}  // namespace

}  // namespace trunkline::server
