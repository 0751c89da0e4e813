// SPDX-License-Identifier: MIT
// BothEnds: a real server and a real channel on one loop, in virtual time, over inproc://.
#pragma once

#include "kit/manual_clock.h"
#include "net/loop.h"
#include "unit/client/client_fixture.h"
#include "unit/server/gate.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <asio/co_spawn.hpp>
#include <asio/use_awaitable.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline::scenario {

using namespace std::chrono_literals;
using client::Outcome;
using server::Gate;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BothEnds : public ::testing::Test {
 protected:
  static constexpr std::string_view address = "inproc://both-ends";

  BothEnds() {
    channel_options.backoff.jitter = 0;
    channel_options.backoff.seed = 1;
    if (is_over_http1()) channel_options.http_version = HttpVersion::http1;
  }
  /// For TearDown of a test: handlers use its members, so the server has to end before them.
  void TearDown() override {
    channel_.reset();
    stop_server();
  }

  /// Made with `server_options` on the first call, and on the first one after stop_server().
  Server& server() {
    if (server_ == nullptr) {
      server_ = std::make_unique<Server>(*event_loop, server_options);
      server_->listen(address);
      EXPECT_TRUE(server_->start().is_ok());
    }
    return *server_;
  }
  /// Stops at once: closes connections and cancels handlers.
  void stop_server() {
    server_.reset();
    settle();
  }
  /// Made with `channel_options` on the first call.
  Channel& channel() {
    if (channel_ == nullptr) channel_ = make_channel();
    return *channel_;
  }
  virtual std::unique_ptr<Channel> make_channel() {
    return std::make_unique<Channel>(*event_loop, channel_address(), channel_options);
  }
  /// TRUNKLINE_PROTOCOL in the environment says what channels speak: gRPC (grpc), Connect (http), gRPC-Web (grpc-web),
  /// or the native protocol over WebSocket (ws).
  static std::string_view protocol() {
    const char* const protocol = std::getenv("TRUNKLINE_PROTOCOL");
    return protocol != nullptr ? protocol : "";
  }
  /// TRUNKLINE_HTTP_VERSION=1.1: over HTTP/1.1, which Connect and gRPC-Web can do.
  static bool is_over_http1() {
    const char* const version = std::getenv("TRUNKLINE_HTTP_VERSION");
    return version != nullptr && std::string_view(version) == "1.1";
  }
  /// What a handler reads and writes once its caller has cancelled. Over HTTP/1.1 the connection has ended.
  static StatusCode handlers_code_if_cancelled() {
    return is_over_http1() ? StatusCode::unavailable : StatusCode::cancelled;
  }
  static bool is_over_http() { return !protocol().empty() && protocol() != "ws"; }
  static bool is_connect() { return protocol() == "http"; }
  /// Whether a call that the server has refused may have run, as far as its client knows: a status of gRPC or
  /// Connect does not say.
  static bool may_have_run_if_refused() { return is_over_http(); }
  static std::string channel_address() {
    return protocol().empty() ? std::string(address) : std::string(protocol()) + "+" + std::string(address);
  }
  void destroy_channel() { channel_.reset(); }

  net::Loop& loop() { return net::Loop::of(*event_loop); }
  /// Runs the loop until nothing is ready.
  void settle() {
    while (event_loop->poll()) {
    }
  }
  void advance(base::Duration step) {
    clock.advance(step);
    settle();
  }
  /// Runs `work` as the loop's thread, and everything that follows from it.
  void on_loop(std::function<void()> work) {
    event_loop->post(std::move(work));
    settle();
  }
  /// The same for work that blocks: time passes in the meantime.
  void block_on_loop(const std::function<void()>& work) {
    bool is_done = false;
    const std::function<void()> let_time_pass = [&] {
      clock.advance(10ms);
      if (!is_done) event_loop->post(let_time_pass);
    };
    on_loop([&] {
      event_loop->post(let_time_pass);
      work();
      is_done = true;
    });
  }
  /// Runs a coroutine of the client until nothing is ready.
  template <class Function>
  void spawn(Function function) {
    asio::co_spawn(event_loop->executor(), std::move(function), [](const std::exception_ptr& error) {
      if (error != nullptr) std::rethrow_exception(error);
    });
    settle();
  }

  void handle_echo() {
    server().handle<std::string, std::string>("Echo",
                                              [](const std::string& request, ServerContext&) { return request; });
  }
  /// Responds with the request once `gate` is open.
  void handle_waiting(Gate& gate) {
    server().handle<std::string, std::string>(
        "Wait", [&gate](const std::string& request, ServerContext&) -> asio::awaitable<std::string> {
          co_await gate.pass();
          co_return request;
        });
  }
  std::shared_ptr<Outcome> begin(const std::string& method, const std::string& request,
                                 const CallOptions& options = {}) {
    auto outcome = std::make_shared<Outcome>();
    on_loop([&] { start(outcome, method, request, options); });
    return outcome;
  }
  /// Calls as from another thread, where a timeout starts in real time and not in virtual time.
  std::shared_ptr<Outcome> begin_off_loop(const std::string& method, const std::string& request,
                                          const CallOptions& options = {}) {
    auto outcome = std::make_shared<Outcome>();
    start(outcome, method, request, options);
    settle();
    return outcome;
  }

  kit::ManualClock clock;
  std::unique_ptr<EventLoop> event_loop = net::Loop::make_event_loop({}, &clock);
  ServerOptions server_options;
  ChannelOptions channel_options;

 private:
  void start(const std::shared_ptr<Outcome>& outcome, const std::string& method, const std::string& request,
             const CallOptions& options) {
    channel().async_call<std::string>(method, request, options, [outcome](Result<std::string> result) {
      outcome->result = std::move(result);
      ++outcome->count;
    });
  }

  std::unique_ptr<Server> server_;
  std::unique_ptr<Channel> channel_;
};

}  // namespace trunkline::scenario
