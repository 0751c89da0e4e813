// SPDX-License-Identifier: MIT
// ServerFixture: a server and its clients on one loop, with a manual clock.
#pragma once

#include "kit/manual_clock.h"
#include "server/server_core.h"
#include "unit/server/test_client.h"

#include <trunkline/detail/unary_handler.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace trunkline::server {

class ServerFixture : public ::testing::Test {
 protected:
  struct Logged {
    LogLevel level;
    std::string message;
    std::string method;
    std::string peer;
  };

  /// Ends clients and server before the members of the test, which handlers use, are destroyed.
  void TearDown() override {
    clients_.clear();
    core_.reset();
  }

  /// Call it before server(), which otherwise makes the server with the default options.
  ServerCore& make_server(ServerOptions options = {}) {
    options.log = [this](const LogRecord& record) {
      logged_.push_back(
          {record.level, std::string(record.message), std::string(record.method), std::string(record.peer)});
    };
    core_ = std::make_shared<ServerCore>(loop_, std::move(options));
    return *core_;
  }
  ServerCore& server() { return core_ == nullptr ? make_server() : *core_; }

  template <class Request, class Response, class Function>
  void handle(std::string_view name, Function function, MethodOptions options = {}) {
    server().methods().add(
        name,
        std::make_unique<detail::UnaryHandler<Request, Response, Function>>(std::move(function), options.blocking),
        options);
  }
  /// Adds a method that returns the bytes of its request.
  void handle_echo(std::string_view name = "Echo") {
    handle<Slice, Slice>(name, [](const Slice& request, ServerContext&) { return request; });
  }

  std::pair<std::unique_ptr<net::Transport>, std::unique_ptr<net::Transport>> make_link() {
    return net::make_memory_pair(loop_, loop_, {.address = "inproc://test"});
  }
  /// Returns a client whose handshake is done.
  TestClient& connect(bool ordered = false) {
    auto [near, far] = make_link();
    clients_.push_back(std::make_unique<TestClient>(ordered));
    clients_.back()->start(std::move(near));
    server().accept_transport(std::move(far));
    settle();
    return *clients_.back();
  }
  /// Runs the loop until nothing is left to do.
  void settle() {
    while (loop_.poll()) {
    }
  }
  void advance(base::Duration step) {
    clock_.advance(step);
    settle();
  }
  /// Runs the loop until `done()`, for work that other threads hand back.
  template <class Predicate>
  void settle_until(Predicate done) {
    while (!done()) {
      settle();
      std::this_thread::yield();
    }
    settle();
  }
  ReceivedResponse call(TestClient& client, std::string_view method, std::string_view payload,
                        std::string_view codec = "bytes", session::CallStart start = {}) {
    const session::CallId id = client.call(method, payload, codec, start);
    settle();
    return client.response(id);
  }

  kit::ManualClock clock_;
  net::Loop loop_{{}, &clock_};
  std::vector<Logged> logged_;
  std::shared_ptr<ServerCore> core_;
  std::vector<std::unique_ptr<TestClient>> clients_;
};

}  // namespace trunkline::server
