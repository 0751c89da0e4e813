// SPDX-License-Identifier: MIT
// Connections that their peer ends while they are idle: no call is sent into them.
#include "scenario/cutting_relay.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace trunkline::scenario {

namespace {

using Serving = ServerStream<std::string, std::string>;

/// A way to make one call of "Count", whose response is the number of calls that have run.
struct CallKind {
  const char* name;
  Result<std::string> (*call)(Channel& channel);
};

Result<std::string> call_many(Channel& channel) {
  Result<std::string> only = Status(StatusCode::unknown, "no response");
  channel.call_many<std::string>(channel.method("Count"), std::vector<std::string>{"x"}, 4,
                                 [&](std::size_t, Result<std::string> response) { only = std::move(response); });
  return only;
}

Result<std::string> call_by_stream(Channel& channel) {
  auto stream = channel.client_stream<std::string, std::string>(channel.method("CountInStream"));
  if (Status written = stream.write_last("x"); !written.is_ok()) return written;
  std::string response;
  if (Status status = stream.finish(response); !status.is_ok()) return status;
  return response;
}

/// A unary call behind the one-way call tells how many have run before it.
Result<std::string> call_oneway(Channel& channel) {
  if (Status sent = channel.call_oneway(channel.method("Count"), std::string("x")); !sent.is_ok()) return sent;
  return channel.call<std::string>(channel.method("Counted"), std::string("x"));
}

const CallKind kinds[] = {
    {"Blocking", [](Channel& channel) { return channel.call<std::string>(channel.method("Count"), std::string("x")); }},
    {"Submitted",
     [](Channel& channel) { return channel.submit<std::string>(channel.method("Count"), std::string("x")).get(); }},
    {"Many", &call_many},
    {"Stream", &call_by_stream},
    {"OneWay", &call_oneway},
};

class IdleEnd : public ::testing::TestWithParam<std::tuple<const char*, CallKind>> {
 protected:
  IdleEnd() {
    server_.handle<std::string, std::string>(
        "Count", [this](const std::string&, ServerContext&) { return std::to_string(++count_); });
    server_.handle<std::string, std::string>(
        "Counted", [this](const std::string&, ServerContext&) { return std::to_string(count_); });
    server_.handle_stream<std::string, std::string>(
        "CountInStream", [this](Serving& stream, ServerContext&) { return respond(stream); });
    server_endpoint_ = server_.listen("tcp://127.0.0.1:0");
    EXPECT_TRUE(server_.start().is_ok());
  }

  /// Responds once the client has sent all, since a write that comes later than the response would be cancelled.
  asio::awaitable<Status> respond(Serving& stream) {
    for (;;) {
      const Result<std::optional<std::string>> request = co_await stream.async_read(asio::use_awaitable);
      if (!request.is_ok()) co_return request.status();
      if (!request->has_value()) break;
    }
    co_return co_await stream.async_write(std::to_string(++count_), asio::use_awaitable);
  }

  std::atomic<int> count_{0};
  Server server_;
  Endpoint server_endpoint_;
};

TEST_P(IdleEnd, TheNextCallGoesToANewConnection) {
  const auto& [scheme, kind] = GetParam();
  if (scheme == std::string("http://") && kind.name == std::string("OneWay")) {
    GTEST_SKIP() << "over HTTP/1.1 the call that tells whether the one-way call has run has a connection of its own";
  }
  CuttingRelay relay(server_endpoint_);
  Channel channel(scheme + relay.address(), {.http_version = HttpVersion::http1});

  const Result<std::string> first = kind.call(channel);
  const std::size_t connections = relay.connections();
  relay.cut();
  const Result<std::string> second = kind.call(channel);

  ASSERT_TRUE(first.is_ok()) << first.status().to_string();
  EXPECT_EQ(*first, "1");
  ASSERT_TRUE(second.is_ok()) << second.status().to_string();
  EXPECT_EQ(*second, "2");
  EXPECT_GT(relay.connections(), connections);
}

INSTANTIATE_TEST_SUITE_P(Calls, IdleEnd,
                         ::testing::Combine(::testing::Values("tcp://", "ws://", "grpc://", "http://"),
                                            ::testing::ValuesIn(kinds)),
                         [](const auto& tested) {
                           const std::string scheme = std::get<0>(tested.param);
                           return scheme.substr(0, scheme.find(':')) + std::get<1>(tested.param).name;
                         });

}  // namespace

}  // namespace trunkline::scenario
