// SPDX-License-Identifier: MIT
// Exceptions of the application's code outside its handlers: of codecs, and of message factories.
#include "unit/server/server_fixture.h"

#include <stdexcept>

namespace trunkline::server {

namespace {

/// Takes the place of json on the server's side.
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
  void make_throwing(bool on_decode) {
    ServerOptions options;
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

TEST_P(Exceptions, OfADecoderEndTheCall) {
  make_throwing(true);
  TestClient& client = connect();

  const Answer answer = call(client, method(), "1", "json");
  const Answer after = call(client, "Echo", "x");

  EXPECT_EQ(answer.status.code(), StatusCode::internal);
  EXPECT_EQ(after.payload, "x") << "the connection was lost";
  EXPECT_EQ(server().stats().open_calls, 0u);
  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].message, "handler of " + method() + " threw an exception: decode");
}

TEST_P(Exceptions, OfAnEncoderEndTheCall) {
  make_throwing(false);
  TestClient& client = connect();

  const Answer answer = call(client, method(), "1", "json");
  const Answer after = call(client, "Echo", "x");

  EXPECT_EQ(answer.status.code(), StatusCode::internal);
  EXPECT_EQ(after.payload, "x") << "the connection was lost";
  EXPECT_EQ(server().stats().open_calls, 0u);
  EXPECT_FALSE(logged_.empty());
}

TEST_P(Exceptions, WhenMessagesAreMadeEndTheCall) {
  server().methods().add("Without",
                         std::make_unique<WithoutMessages>(GetParam() ? Execution::coroutine : Execution::plain), {});
  handle_echo();
  TestClient& client = connect();

  const Answer answer = call(client, "Without", "x");
  const Answer after = call(client, "Echo", "x");

  EXPECT_EQ(answer.status.code(), StatusCode::internal);
  EXPECT_EQ(after.payload, "x");
  EXPECT_EQ(server().stats().handler_exceptions, 1u);
}

TEST_P(Exceptions, OnAnOrderedConnectionLetTheNextCallRun) {
  make_throwing(true);
  TestClient& client = connect(true);

  const session::CallId bad = client.call(method(), "1", "json");
  const session::CallId good = client.call("Coroutine", "x", "bytes");
  settle();

  EXPECT_EQ(client.answer(bad).status.code(), StatusCode::internal);
  EXPECT_EQ(client.answer(good).payload, "x");
}

INSTANTIATE_TEST_SUITE_P(Forms, Exceptions, ::testing::Bool(),
                         [](const auto& form) { return form.param ? "Coroutine" : "Plain"; });

}  // namespace

}  // namespace trunkline::server
