// SPDX-License-Identifier: MIT
// The endpoints of a server while its listeners come and go.
#include "server/server_listeners.h"

#include <gtest/gtest.h>

namespace trunkline::server {

namespace {

class Listeners : public ::testing::Test {
 protected:
  Result<Endpoint> open(std::string_view uri) {
    return listeners_.open(loops_, Endpoint::parse(uri).value(), ServerOptions(), {});
  }

  net::Loop loop_;
  const ServerLoops loops_{std::make_shared<ServerState>(ServerOptions()), loop_};
  ServerListeners listeners_;
};

TEST_F(Listeners, AreListedWithTheirPorts) {
  const Result<Endpoint> tcp = open("tcp://127.0.0.1:0");
  const Result<Endpoint> memory = open("inproc://listeners");

  ASSERT_TRUE(tcp.is_ok());
  ASSERT_TRUE(memory.is_ok());
  EXPECT_NE(tcp->port(), 0);
  EXPECT_EQ(listeners_.endpoints().size(), 2u);
}

TEST_F(Listeners, ServeTheirEndpoints) {
  const Endpoint one = open("tcp://127.0.0.1:0").value();
  const Endpoint every = open("tcp://*:0").value();
  const auto serves = [&](const std::string& host, std::uint16_t port) {
    return listeners_.serves(Endpoint::parse("tcp://" + host + ":" + std::to_string(port)).value());
  };

  EXPECT_TRUE(serves("127.0.0.1", one.port()));
  EXPECT_FALSE(serves("127.0.0.2", one.port()));
  EXPECT_TRUE(serves("127.0.0.2", every.port()));
  EXPECT_TRUE(serves("localhost", every.port()));
  EXPECT_FALSE(serves("example.org", every.port()));
}

TEST_F(Listeners, OfLocalhostTakeBothFamiliesAtOnePort) {
  const Result<Endpoint> named = open("tcp://localhost:0");
  ASSERT_TRUE(named.is_ok()) << named.status().to_string();
  const std::string port = std::to_string(named->port());

  const Result<Endpoint> ipv4 = open("tcp://127.0.0.1:" + port);
  const Result<Endpoint> ipv6 = open("tcp://[::1]:" + port);

  EXPECT_EQ(named->host(), "localhost");
  EXPECT_EQ(listeners_.endpoints().size(), 1u);
  EXPECT_EQ(ipv4.status().code(), StatusCode::already_exists);
  const bool has_ipv6 = open("tcp://[::1]:0").is_ok();
  EXPECT_EQ(ipv6.status().code(), has_ipv6 ? StatusCode::already_exists : ipv6.status().code());
  EXPECT_FALSE(ipv6.is_ok());
  EXPECT_TRUE(listeners_.serves(Endpoint::parse("tcp://127.0.0.1:" + port).value()));
  EXPECT_FALSE(listeners_.serves(Endpoint::parse("tcp://127.0.0.2:" + port).value()));
}

TEST_F(Listeners, OfLocalhostShareNoPortWithAnotherProcess) {
  const Result<Endpoint> other = open("tcp://[::1]:0");
  if (!other.is_ok()) GTEST_SKIP() << "no IPv6 here: " << other.status().to_string();

  const Result<Endpoint> named = open("tcp://localhost:" + std::to_string(other->port()));

  EXPECT_EQ(named.status().code(), StatusCode::already_exists);
  EXPECT_EQ(listeners_.endpoints().size(), 1u);
}

TEST_F(Listeners, ThatFailAreNotListed) {
  const Result<Endpoint> tcp = open("tcp://127.0.0.1:0");

  const Result<Endpoint> taken = open(tcp->to_string());

  EXPECT_EQ(taken.status().code(), StatusCode::already_exists);
  EXPECT_EQ(listeners_.endpoints().size(), 1u);
}

TEST_F(Listeners, GiveTheirAddressesAwayWhenTheyRetireOrClose) {
  const Result<Endpoint> first = open("inproc://retires");
  listeners_.retire();
  EXPECT_TRUE(listeners_.endpoints().empty());
  const Result<Endpoint> second = open("inproc://retires");
  listeners_.close();
  const Result<Endpoint> third = open("inproc://retires");

  EXPECT_TRUE(second.is_ok()) << second.status().to_string();
  EXPECT_TRUE(third.is_ok()) << third.status().to_string();
}

TEST_F(Listeners, WithoutTlsHaveNoCertificatesToRead) {
  ASSERT_TRUE(open("inproc://listeners").is_ok());

  EXPECT_EQ(listeners_.reload_tls().code(), StatusCode::failed_precondition);
}

}  // namespace

}  // namespace trunkline::server
