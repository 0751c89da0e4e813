// SPDX-License-Identifier: MIT
// The line protocol beside the native one on the port of an ordinary server, and in an ordinary channel.
#include "line_protocol/line_session.h"

#include "client/channel_core.h"
#include "client/connector.h"
#include "net/loop.h"
#include "server/server_core.h"
#include "session/protocol_table.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>
#include <trunkline/value.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::line {
namespace {

using namespace std::chrono_literals;

session::ProtocolTable both_protocols() {
  session::ProtocolTable table = session::ProtocolTable::with_defaults();
  table.add(protocol());
  return table;
}

/// Dials as usual, and then speaks lines.
class LineConnector final : public client::EndpointConnector {
 public:
  using EndpointConnector::EndpointConnector;
  const session::Protocol& protocol(const net::PeerInfo&) const noexcept override { return line::protocol(); }
};

class LineProtocol : public ::testing::Test {
 protected:
  LineProtocol() {
    server_.handle<Value, Value>("Greet", [](const Value& name, ServerContext&) -> Result<Value> {
      if (!name.is_string()) return Status(StatusCode::invalid_argument, "greet: the name is not a string");
      return Value("hello, " + name.as_string());
    });
    server_.handle<Value, Value>("Later", [](const Value& number, ServerContext& context) -> asio::awaitable<Value> {
      asio::steady_timer timer(context.executor(), 1ms);
      co_await timer.async_wait(asio::use_awaitable);
      co_return number;
    });
  }

  /// Sends `lines` over a plain socket; returns as many lines of the response.
  std::string exchange(const Endpoint& endpoint, const std::string& lines) {
    asio::io_context context;
    asio::ip::tcp::socket socket(context);
    socket.connect({asio::ip::make_address(endpoint.host()), endpoint.port()});
    asio::write(socket, asio::buffer(lines));
    std::string responses;
    for (auto left = std::count(lines.begin(), lines.end(), '\n'); left > 0; --left) {
      std::string line;
      while (!line.ends_with('\n')) {
        char letter = 0;
        asio::read(socket, asio::buffer(&letter, 1));
        line += letter;
      }
      responses += line;
    }
    return responses;
  }
  /// An ordinary channel, but for its protocol.
  std::unique_ptr<Channel> line_channel(const Endpoint& endpoint) {
    return std::make_unique<Channel>(client::ChannelCore::make(
        std::make_unique<net::Loop>(EventLoopOptions{}), ChannelOptions{},
        [&](net::Loop& loop) { return std::make_unique<LineConnector>(loop, endpoint, net::DialOptions{}); }));
  }

  Server server_{std::make_shared<server::ServerCore>(ServerOptions{}, both_protocols())};
};

TEST_F(LineProtocol, IsServedOverTcpBesideTheNativeProtocol) {
  const Endpoint endpoint = server_.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server_.start().is_ok());
  Channel native(endpoint.to_string());

  const std::string responses = exchange(endpoint, "Greet \"line\"\nGreet 1\nNobody 1\n");
  const Result<Value> response = native.call<Value>("Greet", Value("native"), {.timeout = 60s});

  EXPECT_EQ(responses,
            "\"hello, line\"\n"
            "! 3 greet: the name is not a string\n"
            "! 12 call Nobody: no such method\n");
  EXPECT_EQ(*response, Value("hello, native"));
}

TEST_F(LineProtocol, TakesTheCodecOfAResponseFromItsRequest) {
  const Endpoint endpoint = server_.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server_.start().is_ok());

  EXPECT_EQ(exchange(endpoint, "Greet>msgpack \"you\"\nGreet \"you\"\n"),
            "msgpack aa68656c6c6f2c20796f75\n\"hello, you\"\n");
}

TEST_F(LineProtocol, RespondsInTheOrderOfTheCallsThoughSomeHandlersWait) {
  const Endpoint endpoint = server_.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server_.start().is_ok());

  EXPECT_EQ(exchange(endpoint, "Later 1\nGreet \"a\"\nLater 2\nGreet \"b\"\n"), "1\n\"hello, a\"\n2\n\"hello, b\"\n");
}

TEST_F(LineProtocol, IsCalledByAChannelOverTcpAndInMemory) {
  const Endpoint tcp = server_.listen("tcp://127.0.0.1:0");
  const Endpoint memory = server_.listen("inproc://line-protocol");
  ASSERT_TRUE(server_.start().is_ok());

  for (const Endpoint& endpoint : {tcp, memory}) {
    const auto channel = line_channel(endpoint);
    const Result<Value> response = channel->call<Value>("Greet", Value("channel"), {.timeout = 60s});
    const Result<Value> error = channel->call<Value>("Greet", Value(1), {.timeout = 60s});
    const Result<Value> later = channel->call<Value>("Later", Value(7), {.timeout = 60s});

    ASSERT_TRUE(response.is_ok()) << response.status().to_string();
    EXPECT_EQ(*response, Value("hello, channel"));
    EXPECT_EQ(error.status().code(), StatusCode::invalid_argument);
    EXPECT_EQ(error.status().message(), "greet: the name is not a string");
    EXPECT_EQ(*later, Value(7));
  }
}

TEST_F(LineProtocol, CarriesManyCallsOfAChannelAtOnce) {
  const Endpoint endpoint = server_.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server_.start().is_ok());
  const auto channel = line_channel(endpoint);
  std::vector<Value> requests;
  for (int i = 0; i < 1000; ++i) requests.emplace_back(i);
  std::size_t right = 0;

  channel->call_many<Value>("Later", requests, 100, [&](std::size_t index, Result<Value> response) {
    if (response.is_ok() && *response == requests[index]) ++right;
  });

  EXPECT_EQ(right, requests.size());
}

TEST_F(LineProtocol, SaysThatItHasNoStreams) {
  const Endpoint endpoint = server_.listen("inproc://line-protocol");
  ASSERT_TRUE(server_.start().is_ok());
  const auto channel = line_channel(endpoint);

  auto stream = channel->stream<Value, Value>("Greet", {.timeout = 60s});

  EXPECT_EQ(stream.finish().code(), StatusCode::unimplemented);
}

TEST_F(LineProtocol, LetsAcceptedCallsFinishInAShutdown) {
  const Endpoint endpoint = server_.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server_.start().is_ok());
  const auto channel = line_channel(endpoint);
  ASSERT_TRUE(channel->call<Value>("Greet", Value("you"), {.timeout = 60s}).is_ok());

  EXPECT_TRUE(server_.shutdown(60s).is_ok());
}

}  // namespace
}  // namespace trunkline::line
