// SPDX-License-Identifier: MIT
// The fallback: which calls it serves, under which names, and how it comes and goes.
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>
#include <trunkline/interceptor.h>

#include <stdexcept>

namespace trunkline::server {

namespace {

using Stream = ServerStream<std::string, std::string>;
using Names = std::vector<std::string>;

class NameRecorder final : public Interceptor {
 public:
  Status on_start(CallInfo& call) override {
    started.emplace_back(call.method);
    return refuses ? Status(StatusCode::permission_denied, "not you") : Status();
  }
  void on_finish(CallInfo& call, Status& status) override {
    finished.push_back(std::string(call.method) + " " + std::string(to_string(status.code())));
  }

  Names started;
  Names finished;
  bool refuses = false;
};

class Fallback : public ServerFixture {
 protected:
  template <class Function>
  static std::unique_ptr<MethodHandler> make_handler(Function function) {
    return std::make_unique<detail::UnaryHandler<Slice, std::string, Function>>(std::move(function), false);
  }
  /// Responds with the method's name and the request.
  static std::unique_ptr<MethodHandler> make_naming_handler() {
    return make_handler([](const Slice& request, ServerContext& context) {
      return std::string(context.method()) + ":" + std::string(as_text(request.bytes()));
    });
  }
  std::string error_of(std::unique_ptr<MethodHandler> handler, const MethodOptions& options = {}) {
    try {
      server().methods().add_fallback(std::move(handler), options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "nothing thrown";
  }
};

TEST_F(Fallback, ServesUnknownMethodsByTheirNames) {
  handle_echo();
  server().methods().add_fallback(make_naming_handler(), {});
  TestClient& client = connect();

  EXPECT_EQ(call(client, "a.B/C", "x").payload, "a.B/C:x");
  EXPECT_EQ(call(client, "d.E/F", "y").payload, "d.E/F:y");
  EXPECT_EQ(call(client, "Echo", "z").payload, "z");
}

TEST_F(Fallback, IsNotListed) {
  handle_echo();
  server().methods().add_fallback(make_naming_handler(), {});

  const std::vector<MethodInfo> all = server().methods().list();

  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "Echo");
}

TEST_F(Fallback, IsOneOnlyAndNotNullNorMistakenlyBlocking) {
  EXPECT_EQ(error_of(nullptr), "register fallback: handler is null");
  EXPECT_EQ(error_of(make_naming_handler(), {.blocking = true}),
            "register method fallback: MethodOptions::blocking is set, but its handler is made to run on the loop");
  EXPECT_EQ(error_of(make_naming_handler()), "nothing thrown");
  EXPECT_EQ(error_of(make_naming_handler()), "register fallback: there is one already");
}

TEST_F(Fallback, IsRemovedByTheEmptyName) {
  auto alive = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = alive;
  server().methods().add_fallback(
      make_handler([alive = std::move(alive)](const Slice&, ServerContext&) { return std::to_string(*alive); }), {});
  TestClient& client = connect();
  EXPECT_EQ(call(client, "Unknown", "x").payload, "1");

  EXPECT_TRUE(server().remove_method(""));
  settle();

  EXPECT_TRUE(watch.expired()) << "kept although nothing calls it";
  EXPECT_EQ(call(client, "Unknown", "x").status.code(), StatusCode::unimplemented);
  EXPECT_FALSE(server().remove_method(""));
  EXPECT_EQ(error_of(make_naming_handler()), "nothing thrown");
  EXPECT_EQ(call(client, "Unknown", "x").payload, "Unknown:x");
}

TEST_F(Fallback, GivesWayToAMethodThatIsAddedLater) {
  server().methods().add_fallback(make_naming_handler(), {});
  TestClient& client = connect();
  const std::string before = call(client, "Echo", "x").payload;

  handle_echo();
  settle();

  EXPECT_EQ(before, "Echo:x");
  EXPECT_EQ(call(client, "Echo", "x").payload, "x");
}

TEST_F(Fallback, OfStreamsServesCallsOfSeveralMessages) {
  auto echo = [](Stream& stream, ServerContext& context) -> asio::awaitable<Status> {
    for (;;) {
      Result<std::optional<std::string>> next = co_await stream.async_read(asio::use_awaitable);
      if (!next) co_return next.status();
      if (!next->has_value()) co_return Status();
      const std::string response = std::string(context.method()) + ":" + **next;
      if (Status sent = co_await stream.async_write(response, asio::use_awaitable); !sent.is_ok()) co_return sent;
    }
  };
  server().methods().add_fallback(
      std::make_unique<detail::StreamHandler<std::string, std::string, decltype(echo)>>(echo), {});
  TestClient& client = connect();

  const session::CallId id = client.call("Talk", "one", "bytes", {.method = {}, .end = false});
  client.send(id, "two", false);
  client.send(id, "three", true);
  settle();

  EXPECT_EQ(client.messages(id), (Names{"Talk:one", "Talk:two", "Talk:three"}));
  ASSERT_TRUE(client.has(id));
  EXPECT_TRUE(client.response(id).status.is_ok()) << client.response(id).status.to_string();
}

class InterceptedFallback : public Fallback {
 protected:
  InterceptedFallback() {
    ServerOptions options;
    options.interceptors = {recorder_};
    make_server(options).methods().add_fallback(make_naming_handler(), {});
  }
  /// Longer than what a client sends without the server's credit, so that interceptors decide before it is whole.
  const std::string long_request_ = std::string(5 << 20, 'x');
  std::shared_ptr<NameRecorder> recorder_ = std::make_shared<NameRecorder>();
};

TEST_F(InterceptedFallback, HasTheNamesThatAreCalled) {
  TestClient& client = connect();

  call(client, "One", "x");
  call(client, "Two", "y");

  EXPECT_EQ(recorder_->started, (Names{"One", "Two"}));
  EXPECT_EQ(recorder_->finished, (Names{"One ok", "Two ok"}));
}

TEST_F(InterceptedFallback, HasTheNameOfACallWhoseRequestIsNotWhole) {
  TestClient& client = connect();

  const session::CallId id = client.call("Long", long_request_);
  settle();

  EXPECT_EQ(client.response(id).payload, "Long:" + long_request_);
  EXPECT_EQ(recorder_->started, Names{"Long"});
  EXPECT_EQ(recorder_->finished, Names{"Long ok"});
}

TEST_F(InterceptedFallback, HasTheNameOfACallThatIsRefusedEarly) {
  recorder_->refuses = true;
  TestClient& client = connect();

  const session::CallId id = client.call("Long", long_request_);
  settle();

  EXPECT_EQ(client.response(id).status.code(), StatusCode::permission_denied);
  EXPECT_EQ(recorder_->started, Names{"Long"});
  EXPECT_EQ(recorder_->finished, Names{"Long permission_denied"});
}

}  // namespace

}  // namespace trunkline::server
