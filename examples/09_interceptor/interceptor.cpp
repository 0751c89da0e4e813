// SPDX-License-Identifier: MIT
// Interceptors: the client's adds a token to every call, the server's checks it and counts calls by outcome.
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

}  // namespace

int main() {
  using namespace std::chrono_literals;
  const auto counter = std::make_shared<CountCalls>();
  trunkline::ServerOptions server_options;
  server_options.interceptors = {counter, std::make_shared<CheckToken>()};
  trunkline::Server server(server_options);
  server.handle<std::string, std::string>("Echo",
                                          [](const std::string& text, trunkline::ServerContext&) { return text; });
  const trunkline::Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  if (!server.start()) return 1;

  trunkline::ChannelOptions options;
  options.interceptors = {std::make_shared<AddToken>("secret")};
  trunkline::Channel trusted(endpoint.to_string(), options);
  trunkline::Channel stranger(endpoint.to_string());
  auto echoed = trusted.call<std::string>("Echo", std::string("hi"), {.timeout = 10s});
  auto refused = stranger.call<std::string>("Echo", std::string("hi"), {.timeout = 10s});

  std::cout << "with the token: " << (echoed ? *echoed : echoed.status().to_string()) << "\n"
            << "without: " << refused.status().to_string() << "\n"
            << "the server counted " << counter->ok << " ok, " << counter->failed << " failed\n";
  return echoed && refused.status().code() == trunkline::StatusCode::unauthenticated && counter->ok == 1 &&
                 counter->failed == 1
             ? 0
             : 1;
}
