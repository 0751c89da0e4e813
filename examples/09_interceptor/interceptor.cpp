// SPDX-License-Identifier: MIT
// Interceptors: the client's adds a token to every call, the server's checks it and counts calls by outcome.
// Usage: interceptor [serve ENDPOINT | call ENDPOINT]
#include "server_certificate.h"
#include "two_sides.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>

namespace {

class AddToken final : public trunkline::Interceptor {
 public:
  explicit AddToken(std::string token) : token_(std::move(token)) {}
  trunkline::Status on_start(trunkline::CallInfo& call) override {
    call.metadata->set("authorization", "Bearer " + token_);
    return {};
  }

 private:
  std::string token_;
};

class CheckToken final : public trunkline::Interceptor {
 public:
  trunkline::Status on_start(trunkline::CallInfo& call) override {
    if (call.metadata->get("authorization") == "Bearer secret") return {};
    return {trunkline::StatusCode::unauthenticated, "the token is missing or wrong"};
  }
};

class CountCalls final : public trunkline::Interceptor {
 public:
  void on_finish(trunkline::CallInfo&, trunkline::Status& status) override { ++(status.is_ok() ? ok : failed); }
  std::atomic<int> ok{0};
  std::atomic<int> failed{0};
};

bool call(const std::string& endpoint) {
  using namespace std::chrono_literals;
  trunkline::ChannelOptions options;
  options.interceptors = {std::make_shared<AddToken>("secret")};
  trunkline::Channel trusted(endpoint, options);
  trunkline::Channel stranger(endpoint);
  auto echoed = trusted.call<std::string>("Echo", std::string("hi"), {.timeout = 10s});
  auto refused = stranger.call<std::string>("Echo", std::string("hi"), {.timeout = 10s});
  std::cout << "with the token: " << (echoed ? *echoed : echoed.status().to_string()) << "\n"
            << "without: " << refused.status().to_string() << "\n";
  return echoed && *echoed == "hi" && refused.status().code() == trunkline::StatusCode::unauthenticated;
}

}  // namespace

int main(int argc, char** argv) {
  const auto counter = std::make_shared<CountCalls>();
  trunkline::ServerOptions options;
  options.tls = example::server_certificate();
  options.interceptors = {counter, std::make_shared<CheckToken>()};
  trunkline::Server server(options);
  server.handle<std::string, std::string>("Echo",
                                          [](const std::string& text, trunkline::ServerContext&) { return text; });
  const int code = example::run_sides({argv + 1, argv + argc}, server, "tcp://127.0.0.1:0", call);
  if (argc > 1 && std::string(argv[1]) == "call") return code;
  std::cout << "the server counted " << counter->ok << " ok, " << counter->failed << " failed\n";
  // How often a server is called is for its clients to say.
  if (argc > 1) return code;
  return counter->ok == 1 && counter->failed == 1 ? code : 1;
}
