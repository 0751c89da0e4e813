// SPDX-License-Identifier: MIT
// A name with several addresses: the first server that says hello gets the calls.
#include "client/channel_core.h"
#include "net/socket_address.h"
#include "net/unique_socket.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::scenario {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds call_timeout{60};

/// Accepts connections in the kernel's queue, and never says anything.
class SilentPeer {
 public:
  explicit SilentPeer(int backlog) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    ::listen(socket_.get(), backlog);
  }
  net::SocketAddress address() const { return net::SocketAddress::local_of(socket_.get()); }

 private:
  net::UniqueSocket socket_;
};

class AddressRace : public ::testing::Test {
 protected:
  AddressRace() {
    // Longer than a call waits, so that none that succeeds has waited for one of them.
    options.limits.handshake_timeout = options.connect_timeout = 1h;
  }
  net::SocketAddress serve() {
    server.handle<std::string, std::string>("Echo", [](const std::string& request, ServerContext&) { return request; });
    const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
    EXPECT_TRUE(server.start().is_ok());
    return *net::SocketAddress::of_numeric(endpoint);
  }
  /// The time that a call takes to the first of `addresses` that serves it.
  std::chrono::milliseconds call(std::vector<net::SocketAddress> addresses) {
    auto core = client::ChannelCore::make(std::make_unique<net::Loop>(), options, [&](net::Loop& loop) {
      net::DialOptions dial{.connect_timeout = options.connect_timeout};
      dial.addresses = addresses;
      return std::make_unique<client::EndpointConnector>(loop, Endpoint::parse("tcp://localhost:1").value(), dial);
    });
    Channel channel(std::move(core));
    const auto begin = std::chrono::steady_clock::now();
    const Result<std::string> result = channel.call<std::string>("Echo", std::string("x"), {.timeout = call_timeout});
    EXPECT_EQ(result.value_or(result.status().to_string()), "x");
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  }

  Server server;
  ChannelOptions options;
};

TEST_F(AddressRace, AFirstAddressThatAcceptsAndStaysSilentHidesNothing) {
  const SilentPeer silent(16);

  const auto took = call({silent.address(), serve()});

  EXPECT_GE(took, 200ms);
  EXPECT_LT(took, call_timeout) << "handshake_timeout is an hour";
}

TEST_F(AddressRace, ABlackHoleAtTheFirstAddressCostsTheAttemptDelay) {
  const SilentPeer full(0);
  std::vector<net::UniqueSocket> fillers;
  const net::SocketAddress address = full.address();
  for (int i = 0; i < 4; ++i) {
    fillers.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    ::connect(fillers.back().get(), address.data(), address.size());
  }

  const auto took = call({address, serve()});

  EXPECT_GE(took, 200ms);
  EXPECT_LT(took, call_timeout) << "connect_timeout is an hour, half of it was the first address's share";
}

TEST_F(AddressRace, AnAddressThatClosesBeforeItsHelloIsFollowedByTheNextAtOnce) {
  net::UniqueSocket closing(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(closing.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  ::listen(closing.get(), 16);
  std::thread closer([&] { const net::UniqueSocket accepted(::accept(closing.get(), nullptr, nullptr)); });

  const auto took = call({net::SocketAddress::local_of(closing.get()), serve()});
  closer.join();

  EXPECT_LT(took, call_timeout);
}

}  // namespace

}  // namespace trunkline::scenario
