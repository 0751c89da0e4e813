// SPDX-License-Identifier: MIT
// Handlers that listen, reload certificates and stop their own server, from any loop and from workers.
#include "net/dialer.h"
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/server.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace trunkline::server {

namespace {

/// Connections from one loop, past their handshake.
class Clients {
 public:
  Clients(const Endpoint& endpoint, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      TestClient& client = *clients_.emplace_back(std::make_unique<TestClient>());
      bool started = false;
      const auto dial = net::dial(loop_, endpoint, {}, [&](Result<std::unique_ptr<net::Transport>> transport) {
        client.start(std::move(transport).value());
        started = true;
      });
      loop_.run_until([&] { return started && client.session().is_open(); }, base::never);
    }
  }
  ~Clients() {
    for (const auto& client : clients_) client->reset();
  }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  template <class Predicate>
  void call_all(std::string_view method, Predicate until) {
    for (const auto& client : clients_) client->call(method, "x");
    while (!until()) {
      loop_.poll();
      std::this_thread::yield();
    }
  }

 private:
  net::Loop loop_;
  std::vector<std::unique_ptr<TestClient>> clients_;
};

TEST(HandlerControl, DoesNotKeepTheServerFromStopping) {
  for (int round = 0; round < 10; ++round) {
    ServerOptions options;
    options.loops = 2;
    Server server(options);
    std::atomic<int> entered{0};
    // A handler keeps the first loop busy until the server stops; the second loop waits for the first.
    server.handle<Slice, Empty>("Reload", [&](const Slice&, ServerContext&) {
      ++entered;
      while (server.reload_tls().message() != "the server has been stopped") std::this_thread::yield();
      return Status::ok();
    });
    const Endpoint endpoint = server.listen("inproc://handler-control");
    ASSERT_TRUE(server.start().is_ok());
    Clients clients(endpoint, 2);

    clients.call_all("Reload", [&entered] { return entered == 2; });
    server.stop();

    EXPECT_EQ(server.start().code(), StatusCode::failed_precondition);
  }
}

class WorkerOfUsersLoop : public ServerFixture {};

TEST_F(WorkerOfUsersLoop, StopsOnTheLoop) {
  Gate gate(loop_);
  std::thread::id cancelled_on;
  handle<Slice, Slice>("Wait", [&](const Slice& request, ServerContext& context) -> asio::awaitable<Slice> {
    context.on_cancel([&cancelled_on] { cancelled_on = std::this_thread::get_id(); });
    co_await gate.pass();
    co_return request;
  });
  std::atomic<bool> asked{false};
  handle<Slice, Empty>("Stop",
                       [&](const Slice&, ServerContext&) {
                         server().stop();
                         asked = true;
                         return Status::ok();
                       },
                       {.blocking = true});
  server().listen("inproc://handler-control-stop").value();
  TestClient& client = connect();
  const session::CallId waiting = client.call("Wait", "x");
  client.call("Stop", "x");

  settle_until([&] { return asked.load(); });
  server().stop();

  EXPECT_EQ(cancelled_on, std::this_thread::get_id());
  settle();
  EXPECT_EQ(client.response(waiting).status.code(), StatusCode::unavailable);
  EXPECT_TRUE(server().endpoints().empty());
  EXPECT_EQ(server().start().code(), StatusCode::failed_precondition);
}

TEST_F(WorkerOfUsersLoop, ListensOnTheLoop) {
  std::atomic<bool> asks{false};
  std::atomic<bool> listens{false};
  std::atomic<bool> listens_too_soon{false};
  handle<Slice, Empty>("Listen",
                       [&](const Slice&, ServerContext&) {
                         asks = true;
                         const Status status = server().listen("inproc://handler-control-listen").status();
                         listens = true;
                         return status;
                       },
                       {.blocking = true});
  handle<Slice, Empty>("Busy", [&](const Slice&, ServerContext&) {
    while (!asks) std::this_thread::yield();
    // Gives the worker time: it must not listen while this loop stands still.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    listens_too_soon = listens.load();
    return Status::ok();
  });
  TestClient& client = connect();

  const session::CallId id = client.call("Listen", "x");
  client.call("Busy", "x");
  settle_until([&] { return client.has(id); });

  EXPECT_FALSE(listens_too_soon);
  EXPECT_TRUE(client.response(id).status.is_ok()) << client.response(id).status.to_string();
  EXPECT_EQ(server().endpoints().size(), 1u);
}

TEST_F(WorkerOfUsersLoop, DoesNotWaitForEverWhenTheServerStops) {
  std::atomic<bool> loop_stands_still{false};
  std::atomic<bool> asks{false};
  Status reloaded;
  handle<Slice, Empty>("Reload",
                       [&](const Slice&, ServerContext&) {
                         while (!loop_stands_still) std::this_thread::yield();
                         asks = true;
                         reloaded = server().reload_tls();
                         return Status::ok();
                       },
                       {.blocking = true});
  TestClient& client = connect();
  client.call("Reload", "x");
  settle();
  loop_stands_still = true;
  while (!asks) std::this_thread::yield();

  server().stop();

  EXPECT_EQ(reloaded.message(), "the server has been stopped");
}

}  // namespace

}  // namespace trunkline::server
