// SPDX-License-Identifier: MIT
// The service of the console as its page sees it.
#include "base/clock.h"
#include "net/loop.h"
#include "trunkline/v1/console.pb.h"
#include "trunkline/v1/statistics.pb.h"

#include <trunkline/channel.h>
#include <trunkline/protobuf.h>
#include <trunkline/server.h>

#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

using namespace std::chrono_literals;
using Response = v1::ServerStatistics;

class ConsoleOfAServer : public ::testing::Test {
 protected:
  ConsoleOfAServer() { serve(std::make_unique<Server>()); }

  void serve(std::unique_ptr<Server> server) {
    channel_.reset();
    server_ = std::move(server);
    const auto echo = [](const std::string& text, ServerContext&) { return text; };
    server_->handle<std::string, std::string>("acme.Echo/Say", echo, {.description = "Says it again."});
    server_->add_console({.token = token_});
    endpoint_ = server_->listen("tcp://127.0.0.1:0").to_string();
    channel_ = std::make_unique<Channel>(endpoint_);
    if (Status started = server_->start(); !started) throw StatusError(started);
  }
  CallOptions with_token() { return {.timeout = 20s, .metadata = {{"trunkline-console-token", token_}}}; }
  Result<v1::ServerDescription> describe(const CallOptions& options) {
    return channel_->call<v1::ServerDescription>("trunkline.v1.Console/Describe", v1::DescribeRequest(), options);
  }
  /// The first statistics that fulfil `condition`.
  Response watch_until(const std::function<bool(const Response&)>& condition) {
    v1::StatisticsRequest request;
    request.set_interval_ns(20'000'000);
    auto stream = channel_->server_stream<Response>("trunkline.v1.Console/Watch", request, with_token());
    while (true) {
      Result<std::optional<Response>> next = stream.read();
      if (!next.is_ok() || !next->has_value()) return {};
      if (condition(**next)) return std::move(**next);
    }
  }

  const std::string token_ = "a token of the console";
  std::unique_ptr<Server> server_;
  std::string endpoint_;
  std::unique_ptr<Channel> channel_;
};

TEST_F(ConsoleOfAServer, DescribesServicesWithAllThatTheyNeed) {
  const v1::ServerDescription description = describe(with_token()).value();

  std::set<std::string> services(description.services().begin(), description.services().end());
  EXPECT_TRUE(services.contains("acme.Echo"));
  EXPECT_TRUE(services.contains("trunkline.v1.Console"));
  std::set<std::string> files;
  std::set<std::string> imports;
  std::string comments;
  for (const std::string& bytes : description.files()) {
    google::protobuf::FileDescriptorProto file;
    ASSERT_TRUE(file.ParseFromString(bytes));
    EXPECT_TRUE(files.insert(file.name()).second) << file.name();
    imports.insert(file.dependency().begin(), file.dependency().end());
    for (const auto& location : file.source_code_info().location()) comments += location.leading_comments();
  }
  for (const std::string& name : imports) EXPECT_TRUE(files.contains(name)) << name;
  EXPECT_NE(comments.find("Says it again."), std::string::npos);
  EXPECT_FALSE(description.version().empty());
}

TEST(ConsoleOfItsOwn, IsOnNoOtherEndpoint) {
  Server server;
  server.handle<std::string, std::string>("acme.Echo/Say",
                                          [](const std::string& text, ServerContext&) { return text; });
  const Endpoint console = server.add_console({.endpoint = "tcp://127.0.0.1:0", .token = "a token of the console"});
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  const CallOptions options{.timeout = 20s, .metadata = {{"trunkline-console-token", "a token of the console"}}};
  for (const std::string scheme : {"tcp", "grpc", "ws"}) {
    Channel open(scheme + endpoint.to_string().substr(3));
    Channel closed(scheme + console.to_string().substr(3));
    const auto describe = [&](Channel& channel) {
      return channel.call<v1::ServerDescription>("trunkline.v1.Console/Describe", v1::DescribeRequest(), options)
          .status();
    };

    EXPECT_EQ(describe(open).code(), StatusCode::unimplemented) << scheme;
    EXPECT_TRUE(describe(closed).is_ok()) << scheme;
    for (Channel* channel : {&open, &closed})
      EXPECT_EQ(channel->call<std::string>("acme.Echo/Say", std::string("a"), {.timeout = 20s}).value(), "a") << scheme;
  }
  EXPECT_EQ(server.endpoints(), std::vector<Endpoint>{endpoint});
}

TEST(ConsoleOfItsOwn, LeavesNothingIfItsEndpointCannotBeOpened) {
  Server server;

  EXPECT_THROW(server.add_console({.endpoint = "tcp://127.0.0.1"}), StatusError);

  EXPECT_FALSE(server.has("GET /console"));
  EXPECT_NO_THROW(server.add_console());
}

TEST_F(ConsoleOfAServer, RefusesCallsWithoutItsToken) {
  EXPECT_EQ(describe({.timeout = 20s}).status().code(), StatusCode::unauthenticated);
  auto stream =
      channel_->server_stream<Response>("trunkline.v1.Console/Watch", v1::StatisticsRequest(), {.timeout = 20s});
  EXPECT_EQ(stream.read().status().code(), StatusCode::unauthenticated);
}

TEST_F(ConsoleOfAServer, CountsConnectionsByProtocol) {
  Channel websocket("ws" + endpoint_.substr(3));
  Channel grpc("grpc" + endpoint_.substr(3));
  for (Channel* each : {&websocket, &grpc})
    ASSERT_EQ(each->call<std::string>("acme.Echo/Say", std::string("a"), {.timeout = 20s}).value(), "a");

  const Response open = watch_until([](const Response& each) { return each.connections_by_protocol().size() >= 3; });
  ASSERT_TRUE(websocket.close(60s).is_ok());
  const Response closed =
      watch_until([](const Response& each) { return each.connections_by_protocol().at("websocket") == 0; });

  EXPECT_EQ(open.connections_by_protocol().at("native"), 1u);
  EXPECT_EQ(open.connections_by_protocol().at("websocket"), 1u);
  EXPECT_EQ(open.connections_by_protocol().at("http/2"), 1u);
  EXPECT_EQ(closed.connections_by_protocol().at("http/2"), 1u);
}

/// The time of the machine, and what a handler adds to it.
class LeapingClock final : public base::ClockSource {
 public:
  base::TimePoint now() const noexcept override { return base::Clock::now() + added_; }
  void leap(base::Duration by) noexcept { added_ += by; }

 private:
  base::Duration added_{0};
};

TEST_F(ConsoleOfAServer, CountsHandlersThatHoldTheirLoop) {
  LeapingClock clock;
  const std::unique_ptr<EventLoop> loop = net::Loop::make_event_loop({}, &clock);
  ServerOptions options;
  // A busy machine holds no handler for as long.
  options.slow_handler_threshold = 1min;
  serve(std::make_unique<Server>(*loop, options));
  server_->handle<std::string, std::string>("acme.Echo/Hold", [&](const std::string& text, ServerContext&) {
    clock.leap(2min);
    return text;
  });
  std::thread runner([&] { loop->run(); });
  const Status said = channel_->call<std::string>("acme.Echo/Say", std::string("a")).status();
  const Status was_held = channel_->call<std::string>("acme.Echo/Hold", std::string("a")).status();

  const auto held = [](const Response& each, const std::string& name) {
    for (const v1::MethodStatistics& method : each.methods())
      if (method.method() == name) return method.loop_holds();
    return std::uint64_t{0};
  };
  const Response statistics = watch_until([&](const Response& each) { return held(each, "acme.Echo/Hold") > 0; });
  channel_.reset();
  loop->stop();
  runner.join();
  server_.reset();

  EXPECT_TRUE(said.is_ok()) << said.to_string();
  EXPECT_TRUE(was_held.is_ok()) << was_held.to_string();
  EXPECT_EQ(held(statistics, "acme.Echo/Hold"), 1u);
  EXPECT_EQ(held(statistics, "acme.Echo/Say"), 0u);
}

TEST_F(ConsoleOfAServer, EndsWatchesAtTheShutdown) {
  auto stream = channel_->server_stream<Response>("trunkline.v1.Console/Watch", v1::StatisticsRequest(), with_token());
  ASSERT_TRUE(stream.read().is_ok());

  EXPECT_TRUE(server_->shutdown(60s).is_ok());

  Result<std::optional<Response>> last = stream.read();
  while (last.is_ok() && last->has_value()) last = stream.read();
  EXPECT_EQ(last.status().code(), StatusCode::unavailable);
}

TEST_F(ConsoleOfAServer, IsAddedOnce) { EXPECT_THROW(server_->add_console({.token = token_}), std::invalid_argument); }

TEST(Console, IsOffUnlessAskedFor) {
  Server server;

  EXPECT_FALSE(server.has("trunkline.v1.Console/Describe"));
  EXPECT_THROW(server.add_console({.path = "no path"}), std::invalid_argument);
  EXPECT_FALSE(server.has("trunkline.v1.Console/Describe"));
}

}  // namespace

}  // namespace trunkline
