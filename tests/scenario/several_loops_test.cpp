// SPDX-License-Identifier: MIT
// Several loops behind one port.
#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

std::string this_thread() { return std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id())); }

TEST(ManyLoops, GetConnectionsByLoad) {
  ServerOptions options;
  options.loops = 3;
  Server server(options);
  server.handle<Empty, std::string>("Where", [](const Empty&, ServerContext&) { return this_thread(); });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  std::vector<std::unique_ptr<Channel>> channels;
  std::map<std::string, int> connections;

  for (int i = 0; i < 9; ++i) {
    channels.push_back(std::make_unique<Channel>(endpoint.to_string()));
    const auto where = channels.back()->call<std::string>(channels.back()->method("Where"), Empty{});
    ASSERT_TRUE(where.is_ok()) << where.status().to_string();
    ++connections[*where];
  }

  ASSERT_EQ(connections.size(), 3u);
  for (const auto& [thread, count] : connections) EXPECT_EQ(count, 3) << "loop on thread " << thread;
  EXPECT_EQ(server.totals().connections, 9u);
}

TEST(ManyLoops, KeepAConnectionForLife) {
  ServerOptions options;
  options.loops = 4;
  Server server(options);
  server.handle<Empty, std::string>("Where", [](const Empty&, ServerContext&) { return this_thread(); });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());
  const Method method = channel.method("Where");

  const auto first = channel.call<std::string>(method, Empty{});
  ASSERT_TRUE(first.is_ok());

  for (int i = 0; i < 100; ++i) {
    const auto again = channel.call<std::string>(method, Empty{});
    ASSERT_TRUE(again.is_ok());
    ASSERT_EQ(*again, *first);
  }
}

TEST(ManyLoops, SeeMethodsThatAreAddedAndRemoved) {
  ServerOptions options;
  options.loops = 2;
  Server server(options);
  const Endpoint endpoint = server.listen("inproc://server-loops");
  ASSERT_TRUE(server.start().is_ok());
  Channel one(endpoint.to_string());
  Channel two(endpoint.to_string());

  for (int round = 0; round < 20; ++round) {
    for (Channel* channel : {&one, &two}) {
      EXPECT_EQ(channel->call<Slice>(channel->method("Now"), Slice()).status().code(), StatusCode::unimplemented);
    }
    server.handle<Slice, std::string>("Now", [round](const Slice&, ServerContext&) { return std::to_string(round); });
    for (Channel* channel : {&one, &two}) {
      const auto answer = channel->call<std::string>(channel->method("Now"), Slice());
      ASSERT_TRUE(answer.is_ok()) << answer.status().to_string();
      EXPECT_EQ(*answer, std::to_string(round));
    }
    EXPECT_TRUE(server.remove("Now"));
  }
}

TEST(ManyLoops, PassDeadlinesOnToNestedCalls) {
  Server inner;
  inner.handle<Empty, std::string>("Left", [](const Empty&, ServerContext& context) {
    return std::string(context.deadline() == std::chrono::steady_clock::time_point::max() ? "none" : "some");
  });
  const Endpoint inner_endpoint = inner.listen("inproc://server-loops-inner");
  ASSERT_TRUE(inner.start().is_ok());
  Channel to_inner(inner_endpoint.to_string());
  Server outer;
  const auto ask = [&](const Empty&, ServerContext&) {
    return to_inner.call<std::string>(to_inner.method("Left"), Empty{});
  };
  outer.handle_blocking<Empty, std::string>("Ask", ask);
  const Endpoint outer_endpoint = outer.listen("inproc://server-loops-outer");
  ASSERT_TRUE(outer.start().is_ok());
  Channel channel(outer_endpoint.to_string());

  const auto without = channel.call<std::string>(channel.method("Ask"), Empty{});
  const auto with = channel.call<std::string>(channel.method("Ask"), Empty{}, {.timeout = std::chrono::minutes(1)});

  ASSERT_TRUE(without.is_ok()) << without.status().to_string();
  ASSERT_TRUE(with.is_ok()) << with.status().to_string();
  EXPECT_EQ(*without, "none");
  EXPECT_EQ(*with, "some");
}

}  // namespace

}  // namespace trunkline
