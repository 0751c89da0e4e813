// SPDX-License-Identifier: MIT
// Limits on calls that wait, order, the peer's limits, and the pool.
#include "unit/client/client_fixture.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/use_awaitable.hpp>

namespace trunkline::client {

namespace {

using Pending = ClientFixture;

TEST_F(Pending, CallbacksWaitForRoomUnderThePolicyWait) {
  options.max_pending_calls = 0;
  options.pending_policy = PendingPolicy::wait;
  network.is_slow = true;
  const auto waiting = begin("1");
  EXPECT_FALSE(waiting->is_done());

  on_loop([&] { network.make_connections(); });

  EXPECT_EQ(waiting->text(), "re:1");
}

TEST_F(Pending, CallsBeyondMaxPendingCallsAreRefusedByDefault) {
  options.max_pending_calls = 2;
  network.is_slow = true;
  const auto first = begin("1");
  const auto second = begin("2");

  const auto third = begin("3");

  EXPECT_EQ(third->status().code(), StatusCode::resource_exhausted);
  EXPECT_EQ(third->status().message(), "call Echo: 2 calls wait for a connection, max_pending_calls is 2");
  EXPECT_FALSE(third->status().may_have_run());
  on_loop([&] { network.make_connections(); });
  EXPECT_EQ(first->text(), "re:1");
  EXPECT_EQ(second->text(), "re:2");
}

asio::awaitable<void> await_call(Channel& channel, std::string& response) {
  auto result = co_await channel.async_call<std::string>("Echo", std::string("x"), {}, asio::use_awaitable);
  response = result ? *result : result.status().to_string();
}

TEST_F(Pending, CoroutinesWaitForRoomUnderThePolicyWait) {
  options.max_pending_calls = 0;
  options.pending_policy = PendingPolicy::wait;
  network.is_slow = true;
  std::string response;

  on_loop([&] { asio::co_spawn(loop().context(), await_call(channel(), response), asio::detached); });
  EXPECT_EQ(response, "");
  on_loop([&] { network.make_connections(); });

  EXPECT_EQ(response, "re:x");
}

TEST_F(Pending, CoroutinesAreRefusedUnderThePolicyFail) {
  options.max_pending_calls = 0;
  options.pending_policy = PendingPolicy::fail;
  network.is_slow = true;
  std::string response;

  on_loop([&] { asio::co_spawn(loop().context(), await_call(channel(), response), asio::detached); });

  EXPECT_THAT(response, HasSubstr("max_pending_calls is 0"));
}

TEST_F(Pending, CallsBeyondThePeersLimitWaitInOrder) {
  network.max_concurrent_calls = 2;
  network.on_call = nullptr;
  ASSERT_EQ((on_loop([&] { EXPECT_TRUE(channel().wait_for_ready(1s)); }), channel().state()), ChannelState::ready);

  std::vector<std::shared_ptr<Outcome>> outcomes;
  for (int i = 0; i < 5; ++i) outcomes.push_back(begin(std::to_string(i)));
  FakeServer& server = network.server(0);
  EXPECT_EQ(server.calls.size(), 2u);
  for (std::size_t next = 0; next < 5; ++next) {
    ASSERT_GT(server.calls.size(), next);
    EXPECT_EQ(server.calls[next].payload, std::to_string(next));
    on_loop([&] { server.respond(server.calls[next].id, "ok"); });
  }

  for (const auto& outcome : outcomes) EXPECT_EQ(outcome->text(), "ok");
}

TEST_F(Pending, ACallThatExpiresWaitingForRoomNamesTheLimit) {
  network.max_concurrent_calls = 1;
  network.on_call = nullptr;
  on_loop([&] { EXPECT_TRUE(channel().wait_for_ready(1s)); });
  begin("first");

  const auto second = begin("second", {.timeout = 1s});
  advance(1100ms);

  EXPECT_EQ(
      second->status().message(),
      "call Echo: deadline exceeded after 1000 ms waiting for room on the connection to inproc://fake: the server's "
      "max_concurrent_calls is 1");
  EXPECT_FALSE(second->status().may_have_run());
}

TEST_F(Pending, ItAlsoNamesALimitOfThisSide) {
  options.limits.max_unsent_bytes = 65536;
  network.on_call = nullptr;
  on_loop([&] { EXPECT_TRUE(channel().wait_for_ready(1s)); });
  network.server(0).freeze();

  std::shared_ptr<Outcome> last;
  for (int i = 0; i < 100; ++i) last = begin(std::string(60000, 'x'), {.timeout = 1s});
  advance(1100ms);

  EXPECT_THAT(std::string(last->status().message()),
              HasSubstr("room on the connection to inproc://fake: this channel's max_unsent_bytes is 65536"));
  EXPECT_FALSE(last->status().may_have_run());
}

TEST_F(Pending, ItNamesTheMemoryOfTheChannel) {
  options.max_memory_bytes = 1 << 20;
  options.limits.max_message_bytes = 65536;
  network.on_call = nullptr;
  on_loop([&] { EXPECT_TRUE(channel().wait_for_ready(1s)); });
  network.server(0).freeze();

  std::shared_ptr<Outcome> last;
  for (int i = 0; i < 100; ++i) last = begin(std::string(60000, 'x'), {.timeout = 1s});
  advance(1100ms);

  EXPECT_THAT(std::string(last->status().message()),
              HasSubstr("room on the connection to inproc://fake: this channel's max_memory_bytes is 1048576"));
}

TEST_F(Pending, ThePoolGrowsToItsLimitAndSpreadsCalls) {
  options.max_connections = 3;
  network.on_call = nullptr;
  begin("connect");

  for (int i = 0; i < 8; ++i) begin("x");

  ASSERT_EQ(network.servers.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(network.server(i).calls.size(), 3u) << i;
}

TEST_F(Pending, ALeavingConnectionFinishesItsCallsAndIsReplaced) {
  network.on_call = nullptr;
  const auto old = begin("old");
  network.on_call = echo;

  on_loop([&] { network.server(0).drain(); });
  const auto next = begin("new");

  EXPECT_EQ(next->text(), "re:new");
  EXPECT_EQ(network.servers.size(), 2u);
  EXPECT_FALSE(old->is_done());
  on_loop([&] { network.server(0).respond(network.server(0).calls[0].id, "late"); });
  EXPECT_EQ(old->text(), "late");
  settle();
  EXPECT_TRUE(network.server(0).closed);
}

}  // namespace

}  // namespace trunkline::client
