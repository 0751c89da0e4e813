// SPDX-License-Identifier: MIT
// A listener that retires leaves no connection in the system's queue, where it would be reset.
#include "connected_pair.h"
#include "net/listener.h"
#include "net/socket_address.h"
#include "net/unique_socket.h"

#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::net {
namespace {

/// A client that waits for nothing; -1 if nobody listens.
UniqueSocket connect_to(const Endpoint& endpoint) {
  const bool is_unix = endpoint.scheme() == Scheme::unix_socket;
  const SocketAddress address = is_unix ? SocketAddress::of_unix(endpoint) : *SocketAddress::of_numeric(endpoint);
  UniqueSocket socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(socket.get(), address.data(), address.size()) == 0 ? std::move(socket) : UniqueSocket();
}

TEST(RetiringListener, AcceptsQueuedConnections) {
  Loop loop;
  const TemporaryDirectory directory;
  for (const std::string& uri : {std::string("tcp://127.0.0.1:0"), "unix://" + directory.file("socket")}) {
    std::vector<std::unique_ptr<Transport>> accepted;
    ListenCallbacks callbacks;
    callbacks.on_accept = [&](AcceptedConnection connection) { accepted.push_back(std::move(connection.transport)); };
    const auto listener = std::move(Listener::open(loop, endpoint_of(uri), {}, std::move(callbacks))).value();
    std::vector<UniqueSocket> clients;
    for (int i = 0; i < 3; ++i) clients.push_back(connect_to(listener->endpoint()));

    listener->retire();
    const UniqueSocket late = connect_to(listener->endpoint());
    loop.poll();

    EXPECT_EQ(accepted.size(), 3u) << uri;
    EXPECT_EQ(late.get(), -1) << uri;
    std::byte none{};
    for (const UniqueSocket& client : clients) {
      EXPECT_EQ(::recv(client.get(), &none, 1, MSG_DONTWAIT), -1) << uri;
      EXPECT_EQ(errno, EAGAIN) << uri << ": neither reset nor closed";
    }
  }
}

}  // namespace
}  // namespace trunkline::net
