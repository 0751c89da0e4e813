// SPDX-License-Identifier: MIT
// Clients that have only watches of health open, and whose loops nobody runs.
#include "call/health_method.h"
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>

namespace trunkline::server {
namespace {

using namespace std::chrono_literals;
using Text = std::string;

class BackgroundCalls : public ServerFixture {
 protected:
  BackgroundCalls() {
    ServerOptions options;
    options.limits.keepalive_interval = 10s;
    options.limits.keepalive_timeout = 3s;
    make_server(options);
    add("Stream");
    add(call::health_watch_method);
  }
  void add(std::string_view name) {
    const auto wait = [this](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
      static_cast<void>(co_await writer.async_write("begun", asio::use_awaitable));
      co_await gate_.pass();
      co_return Status();
    };
    server().methods().add(name, std::make_unique<detail::ServerStreamHandler<Text, Text, decltype(wait)>>(wait), {});
  }
  /// Opens the calls, and then neither reads nor answers.
  TestClient& connect_with(std::initializer_list<std::string_view> methods) {
    TestClient& client = connect();
    for (const std::string_view method : methods) EXPECT_NE(client.call(method, "x"), 0u);
    settle();
    client.fall_silent();
    pass();
    return client;
  }
  /// The client would ping the server soon afterwards.
  void pass() {
    for (int second = 0; second < 29; ++second) advance(1s);
  }

  Gate gate_{loop_};
};

TEST_F(BackgroundCalls, DoNotObligeAClientToAnswerPings) {
  connect_with({call::health_watch_method, call::health_watch_method});

  EXPECT_EQ(server().totals().connections, 1u);
  EXPECT_EQ(server().totals().open_calls, 2u);
}

TEST_F(BackgroundCalls, LeaveAClientObligedByItsOtherCalls) {
  connect_with({"Stream"});
  EXPECT_EQ(server().totals().connections, 0u);

  connect_with({call::health_watch_method, "Stream"});
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(BackgroundCalls, AreForgottenWithTheirEnd) {
  TestClient& client = connect();
  for (int i = 0; i < 3; ++i) {
    const session::CallId watch = client.call(call::health_watch_method, "x");
    settle();
    client.cancel(watch);
    settle();
  }
  ASSERT_EQ(server().totals().open_calls, 0u);

  EXPECT_NE(client.call("Stream", "x"), 0u);
  settle();
  client.fall_silent();
  pass();

  EXPECT_EQ(server().totals().connections, 0u);
}

}  // namespace
}  // namespace trunkline::server
