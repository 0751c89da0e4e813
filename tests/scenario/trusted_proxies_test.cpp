// SPDX-License-Identifier: MIT
// The PROXY protocol: what a server learns of the client behind a proxy, over each protocol.
#include "scenario/proxy_relay.h"

#include <trunkline/channel.h>
#include <trunkline/plain.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::scenario {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

const std::string text_header = "PROXY TCP4 203.0.113.7 192.0.2.1 40000 443\r\n";
const std::string binary_header =
    "\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0F\xCB\x00\x71\x07\xC0\x00\x02\x01\x9C\x40\x01\xBB\x04\x00\x00"s;
const std::string local_header = "\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00"s;

class TrustedProxies : public ::testing::TestWithParam<std::string> {
 protected:
  void start(std::vector<std::string> networks, std::size_t max_per_peer = 100) {
    ServerOptions options;
    options.trusted_proxies = std::move(networks);
    options.max_connections_per_peer = max_per_peer;
    options.log = [this](const LogRecord& record) {
      const std::lock_guard lock(mutex_);
      log_ += std::string(record.message) + "\n";
      logged_.notify_all();
    };
    server_ = std::make_unique<Server>(options);
    server_->handle("peer", [](const std::string&, std::string& peer, ServerContext& context) {
      peer = context.peer();
      return Status();
    });
    endpoint_ = server_->listen("tcp://127.0.0.1:0");
    ASSERT_TRUE(server_->start().is_ok());
  }
  Result<std::string> call_through(const std::string& header, std::size_t step = SIZE_MAX) {
    ProxyRelay relay(endpoint_, header, step);
    Channel channel(GetParam() + "://" + relay.address());
    return channel.call<std::string>("peer", std::string("x"), {.timeout = 60s});
  }
  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  /// The server may log it after its client has learned of the end.
  ::testing::AssertionResult logs(std::string_view text) {
    std::unique_lock lock(mutex_);
    if (logged_.wait_for(lock, 60s, [&] { return log_.find(text) != std::string::npos; }))
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << text << " is not in: " << log_;
  }

  std::mutex mutex_;
  std::condition_variable logged_;
  std::string log_;
  std::unique_ptr<Server> server_;
  Endpoint endpoint_;
};

TEST_P(TrustedProxies, NameTheClient) {
  start({"127.0.0.0/8"});

  for (const std::string& header : {text_header, binary_header}) {
    const Result<std::string> whole = call_through(header);
    const Result<std::string> in_bytes = call_through(header, 1);

    ASSERT_TRUE(whole.is_ok()) << whole.status().to_string() << log();
    ASSERT_TRUE(in_bytes.is_ok()) << in_bytes.status().to_string() << log();
    EXPECT_EQ(*whole, "tcp://203.0.113.7:40000");
    EXPECT_EQ(*in_bytes, "tcp://203.0.113.7:40000");
  }
}

TEST_P(TrustedProxies, AreThePeersOfTheirOwnConnections) {
  start({"127.0.0.1"});

  const Result<std::string> peer = call_through(local_header);

  ASSERT_TRUE(peer.is_ok()) << peer.status().to_string();
  EXPECT_TRUE(peer->starts_with("tcp://127.0.0.1:")) << *peer;
}

TEST_P(TrustedProxies, HaveToSendAHeader) {
  start({"127.0.0.1"});

  const Result<std::string> peer = call_through("");

  EXPECT_FALSE(peer.is_ok());
  EXPECT_TRUE(logs("the connection begins with something else; a proxy in trusted_proxies has to send a header"));
}

TEST_P(TrustedProxies, AloneMaySendOne) {
  start({"10.0.0.0/8"});

  const Result<std::string> peer = call_through(text_header);

  EXPECT_FALSE(peer.is_ok());
  EXPECT_TRUE(logs("its address is not in trusted_proxies"));
}

TEST_P(TrustedProxies, LeaveTheLimitsToTheClientsAddresses) {
  start({"127.0.0.1"}, 1);
  ProxyRelay first(endpoint_, text_header, SIZE_MAX);
  Channel same(GetParam() + "://" + first.address());
  ASSERT_TRUE(same.call<std::string>("peer", std::string("x"), {.timeout = 60s}).is_ok());

  const Result<std::string> again = call_through(text_header);
  const Result<std::string> other = call_through("PROXY TCP4 203.0.113.8 192.0.2.1 40000 443\r\n");

  EXPECT_FALSE(again.is_ok());
  EXPECT_TRUE(logs("max_connections_per_peer 1"));
  ASSERT_TRUE(other.is_ok()) << other.status().to_string() << log();
  EXPECT_EQ(*other, "tcp://203.0.113.8:40000");
}

INSTANTIATE_TEST_SUITE_P(Protocols, TrustedProxies, ::testing::Values("tcp", "grpc"));

}  // namespace
}  // namespace trunkline::scenario
