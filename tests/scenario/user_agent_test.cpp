// SPDX-License-Identifier: MIT
// What handlers of every kind and interceptors learn of the user-agent of their clients.
#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::scenario {
namespace {

using testing::HasSubstr;
using Both = ServerStream<std::string, std::string>;

/// Notes the user-agents of the calls of each method.
class Listener final : public Interceptor {
 public:
  Status on_start(CallInfo& call) override {
    note(call);
    return {};
  }
  void on_finish(CallInfo& call, Status&) override {
    note(call);
    ++finished_;
  }
  int finished() const noexcept { return finished_; }
  std::map<std::string, std::set<std::string>> seen() const {
    std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  void note(const CallInfo& call) {
    std::lock_guard lock(mutex_);
    seen_[std::string(call.method)].emplace(call.user_agent);
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::set<std::string>> seen_;
  std::atomic<int> finished_{0};
};

std::string agent_of(const ServerContext& context) { return std::string(context.user_agent()); }

class UserAgents : public ::testing::Test {
 protected:
  UserAgents() {
    server_.handle<std::string, std::string>(
        "Plain", [](const std::string&, ServerContext& context) { return agent_of(context); });
    server_.handle<std::string, std::string>("Coroutine",
                                             [](const std::string&, ServerContext& context) { return later(context); });
    server_.handle_blocking<std::string, std::string>("Blocking", [](const std::string&, ServerContext& context) {
      std::this_thread::yield();
      return agent_of(context);
    });
    server_.handle_stream<std::string, std::string>(
        "Stream", [](Both& stream, ServerContext& context) { return all(stream, context); });
    endpoint_ = server_.listen("tcp://127.0.0.1:0");
    EXPECT_TRUE(server_.start().is_ok());
  }

  static asio::awaitable<std::string> later(ServerContext& context) {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    co_return agent_of(context);
  }
  static asio::awaitable<Status> all(Both& stream, ServerContext& context) {
    while (true) {
      Result<std::optional<std::string>> request = co_await stream.async_read(asio::use_awaitable);
      if (!request.is_ok()) co_return request.status();
      if (!request->has_value()) co_return Status::ok();
      const std::string agent = agent_of(context);
      if (Status written = co_await stream.async_write(agent, asio::use_awaitable); !written) co_return written;
    }
  }
  static ServerOptions options_with(const std::shared_ptr<Interceptor>& interceptor) {
    ServerOptions options;
    options.interceptors = {interceptor};
    return options;
  }
  std::string uri(const std::string& scheme) const { return scheme + endpoint_.to_string().substr(6); }

  std::shared_ptr<Listener> listener_ = std::make_shared<Listener>();
  Server server_{options_with(listener_)};
  Endpoint endpoint_;
};

TEST_F(UserAgents, AreThoseOfTheirOwnClients) {
  const std::vector<std::pair<std::string, HttpVersion>> ways{{"grpc://", HttpVersion::automatic},
                                                              {"http://", HttpVersion::http1},
                                                              {"http://", HttpVersion::http2},
                                                              {"grpc-web://", HttpVersion::http1},
                                                              {"grpc-web://", HttpVersion::http2}};
  std::set<std::string> sent;
  std::vector<std::unique_ptr<Channel>> channels;
  for (const auto& [scheme, version] : ways) {
    for (const char* client : {"one", "two"}) {
      sent.insert(std::string(client) + " " + scheme);
      channels.push_back(std::make_unique<Channel>(
          uri(scheme), ChannelOptions{.user_agent = std::string(client) + " " + scheme, .http_version = version}));
    }
  }

  for (const char* method : {"Plain", "Coroutine", "Blocking"}) {
    std::vector<std::pair<std::string, std::future<Result<std::string>>>> calls;
    for (int round = 0; round < 20; ++round) {
      std::size_t i = 0;
      for (const auto& way : ways) {
        for (const char* client : {"one", "two"}) {
          calls.emplace_back(std::string(client) + " " + way.first,
                             channels[i++]->submit<std::string>(channels[0]->method(method), std::string("x")));
        }
      }
    }
    for (auto& [expected, call] : calls) {
      const Result<std::string> response = call.get();
      ASSERT_TRUE(response.is_ok()) << response.status().to_string();
      ASSERT_EQ(*response, expected) << method;
    }
    EXPECT_EQ(listener_->seen()[method], sent);
  }
}

TEST_F(UserAgents, StayWithAStream) {
  Channel one(uri("grpc://"), {.user_agent = "one"});
  Channel two(uri("grpc://"), {.user_agent = "two"});
  auto first = one.stream<std::string, std::string>(one.method("Stream"));
  auto second = two.stream<std::string, std::string>(two.method("Stream"));

  for (int i = 0; i < 3; ++i) {
    for (auto [stream, expected] : {std::pair(&first, "one"), std::pair(&second, "two")}) {
      ASSERT_TRUE(stream->write("x").is_ok());
      const Result<std::optional<std::string>> response = stream->read();
      ASSERT_TRUE(response.is_ok()) << response.status().to_string();
      EXPECT_EQ(*response, expected);
    }
  }
  for (auto* stream : {&first, &second}) {
    EXPECT_TRUE(stream->close_writes().is_ok());
    EXPECT_TRUE(stream->finish().is_ok());
  }
}

TEST_F(UserAgents, AreThatOfTheLibraryByDefaultAndEmptyOverTheNativeProtocol) {
  Channel usual(uri("grpc://"));
  Channel native(uri("tcp://"), {.user_agent = "unsaid"});

  const Result<std::string> said = usual.call<std::string>(usual.method("Plain"), std::string("x"));
  const Result<std::string> unsaid = native.call<std::string>(native.method("Plain"), std::string("x"));

  ASSERT_TRUE(said.is_ok());
  EXPECT_THAT(*said, testing::StartsWith("trunkline/"));
  ASSERT_TRUE(unsaid.is_ok());
  EXPECT_EQ(*unsaid, "");
}

/// Only the interceptor still has the text when the connection goes.
TEST(UserAgentOfARequest, IsKnownToInterceptorsWhenTheServerStopsAmidIt) {
  const auto listener = std::make_shared<Listener>();
  ServerOptions options;
  options.interceptors = {listener};
  auto server = std::make_unique<Server>(options);
  server->handle<std::string, std::string>("Echo", [](const std::string& request, ServerContext&) { return request; });
  const Endpoint endpoint = server->listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server->start().is_ok());
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  socket.connect({asio::ip::make_address("127.0.0.1"), endpoint.port()});
  const std::string agent = "a client with a name that no string holds in place";
  const std::string request = "POST /Echo HTTP/1.1\r\nHost: h\r\nUser-Agent: " + agent +
                              "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n\"half of";
  asio::write(socket, asio::buffer(request));
  while (listener->seen().empty()) std::this_thread::yield();

  server.reset();

  EXPECT_EQ(listener->finished(), 1);
  EXPECT_EQ(listener->seen(), (std::map<std::string, std::set<std::string>>{{"Echo", {agent}}}));
}

TEST(UserAgentOption, IsCheckedWhenTheChannelIsMade) {
  for (const std::string& wrong : {std::string(" a"), std::string("a "), std::string("a\nb"),
                                   std::string("caf\xC3\xA9"), std::string(1025, 'x')}) {
    try {
      Channel("grpc://127.0.0.1:1", {.user_agent = wrong});
      ADD_FAILURE() << wrong;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("user_agent"));
    }
  }
  Channel("grpc://127.0.0.1:1", {.user_agent = std::string(1024, 'x')});
}

}  // namespace
}  // namespace trunkline::scenario
