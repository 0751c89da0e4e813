// SPDX-License-Identifier: MIT
// Calls and streams to members of etcd, over gRPC on loopback.
#include "naming/etcd/etcd_client.h"

#include "naming/etcd/etcd_message_codec.h"

#include <trunkline/server.h>

#include <gtest/gtest.h>
#include <asio/awaitable.hpp>
#include <asio/use_awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::naming::etcd {
namespace {

using namespace std::chrono_literals;

ServerOptions server_options() {
  ServerOptions options;
  options.codecs = CodecRegistry().add(std::make_shared<EtcdMessageCodec>());
  return options;
}

class EtcdClientCalls : public ::testing::Test {
 protected:
  EtcdClientCalls() {
    server.handle<Slice, Slice>("etcdserverpb.KV/Range", [this](const Slice& request, ServerContext& context) {
      token = context.metadata().get("token").value_or("none");
      has_leader = context.metadata().get("hasleader").value_or("none");
      return Slice::copy_of("answer to " + request.to_string());
    });
    server.handle_stream<Slice, Slice>(
        "etcdserverpb.Watch/Watch", [](ServerStream<Slice, Slice>& stream, ServerContext&) -> asio::awaitable<Status> {
          for (;;) {
            Result<std::optional<Slice>> message = co_await stream.async_read(asio::use_awaitable);
            if (!message || !message->has_value()) co_return Status();
            if ((*message)->text() == "end") co_return Status();
            if ((*message)->text() == "fail") co_return Status(StatusCode::unavailable, "no leader");
            const Status written = co_await stream.async_write(**message, asio::use_awaitable);
            if (!written) co_return written;
          }
        });
    endpoint = server.listen("tcp://127.0.0.1:0").with_protocol(WireProtocol::grpc);
    EXPECT_TRUE(server.start().is_ok());
  }
  std::unique_ptr<EtcdClient> client_of(std::vector<Endpoint> members) {
    EtcdTarget target;
    target.members = std::move(members);
    return std::make_unique<EtcdClient>(net::Loop::of(loop), target);
  }
  template <class Predicate>
  void run_until(Predicate done) {
    EXPECT_TRUE(net::Loop::of(loop).run_until(done, base::Clock::now() + 30s));
  }
  Result<Slice> call(EtcdClient& client) {
    std::optional<Result<Slice>> answer;
    client.call("etcdserverpb.KV/Range", "x", [&](Result<Slice> response) { answer = std::move(response); });
    run_until([&] { return answer.has_value(); });
    return *answer;
  }

  EventLoop loop;
  Server server{loop, server_options()};
  Endpoint endpoint;
  std::string token;
  std::string has_leader;
};

TEST_F(EtcdClientCalls, SendTheTokenAndNeedALeader) {
  const auto client = client_of({endpoint});

  EXPECT_EQ(call(*client).value().text(), "answer to x");
  EXPECT_EQ(token, "none");
  EXPECT_EQ(has_leader, "true");
  client->set_token("abc.1");
  EXPECT_TRUE(call(*client).is_ok());
  EXPECT_EQ(token, "abc.1");
}

TEST_F(EtcdClientCalls, GoToTheMembersInTurn) {
  // Nobody listens there.
  const auto client = client_of({Endpoint::parse("grpc://127.0.0.1:1").value(), endpoint});
  EXPECT_EQ(client->member_count(), 2u);

  const bool first = call(*client).is_ok();
  client->use_next_member();
  const bool second = call(*client).is_ok();
  client->use_next_member();
  const bool third = call(*client).is_ok();

  EXPECT_NE(first, second);
  EXPECT_EQ(first, third);
}

TEST_F(EtcdClientCalls, StreamBothWays) {
  const auto client = client_of({endpoint});
  std::vector<std::string> received;
  Status ended;
  client->open(
      "etcdserverpb.Watch/Watch", "one", [&](const Slice& message) { received.push_back(message.to_string()); },
      [&](Status reason) { ended = std::move(reason); });
  EXPECT_EQ(client->send("two").code(), StatusCode::failed_precondition) << "the first is still being written";
  run_until([&] { return received.size() == 1; });

  EXPECT_TRUE(client->send("two").is_ok());
  run_until([&] { return received.size() == 2; });
  EXPECT_TRUE(client->send("fail").is_ok());
  run_until([&] { return !ended.is_ok(); });

  EXPECT_EQ(received, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(ended.message(), "no leader");
  EXPECT_EQ(client->send("three").code(), StatusCode::failed_precondition);
}

TEST_F(EtcdClientCalls, AStreamThatEndsWithoutAnErrorIsOne) {
  const auto client = client_of({endpoint});
  Status ended;
  client->open(
      "etcdserverpb.Watch/Watch", "end", [](const Slice&) {}, [&](Status reason) { ended = std::move(reason); });

  run_until([&] { return !ended.is_ok(); });

  EXPECT_EQ(ended.message(), "etcd has ended the stream");
}

TEST_F(EtcdClientCalls, AreSilentAfterTheyAreAbandoned) {
  auto client = client_of({endpoint});
  bool is_called = false;
  client->open(
      "etcdserverpb.Watch/Watch", "one", [&](const Slice&) { is_called = true; },
      [&](const Status&) { is_called = true; });
  client->abandon();
  client->call("etcdserverpb.KV/Range", "x", [&](const Result<Slice>&) { is_called = true; });

  EXPECT_TRUE(call(*client).is_ok()) << "a call replaces the one before";
  EXPECT_FALSE(is_called);
  client->call("etcdserverpb.KV/Range", "x", [&](const Result<Slice>&) { is_called = true; });
  client.reset();
  loop.run_for(50ms);
  EXPECT_FALSE(is_called);
}

TEST_F(EtcdClientCalls, MayEndTheClientInACallback) {
  auto client = client_of({endpoint});
  client->open(
      "etcdserverpb.Watch/Watch", "one", [&](const Slice&) { client.reset(); }, [](const Status&) {});
  run_until([&] { return client == nullptr; });

  client = client_of({endpoint});
  client->call("etcdserverpb.KV/Range", "x", [&](const Result<Slice>&) { client.reset(); });
  run_until([&] { return client == nullptr; });
}

}  // namespace
}  // namespace trunkline::naming::etcd
