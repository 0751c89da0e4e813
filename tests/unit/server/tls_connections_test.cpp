// SPDX-License-Identifier: MIT
// Connections in their TLS handshake: they count against max_connections, and handshake_timeout includes it.
#include "net/dialer.h"
#include "net/socket_transport.h"
#include "net/socket_watcher.h"
#include "net/tls_handshake.h"
#include "net/unique_socket.h"
#include "unit/net/tls_files.h"
#include "unit/server/server_fixture.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>

namespace trunkline::server {

namespace {

using namespace std::chrono_literals;

class TlsConnections : public ServerFixture {
 protected:
  void listen(ServerOptions options) {
    options.tls = files_.server_options();
    make_server(std::move(options));
    handle_echo();
    port_ = server().listen("tls://127.0.0.1:0").value().port();
  }

  /// A connected socket that has sent nothing yet.
  net::UniqueSocket connect_socket() {
    net::UniqueSocket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::fcntl(socket.get(), F_SETFL, O_NONBLOCK), 0);
    return socket;
  }
  /// Runs the loop until `done()`; false if that does not come. Bytes take an unknown time to cross the loopback.
  template <class Predicate>
  bool settles_to(Predicate done) {
    for (int i = 0; i < 100000 && !done(); ++i) {
      settle();
      std::this_thread::yield();
    }
    return done();
  }
  /// Makes the handshake on `socket` as a client.
  std::unique_ptr<net::Transport> shake_hands(net::UniqueSocket socket) {
    TlsOptions tls = files_.client_options();
    tls.alpn = {"trunkline/1"};
    const net::HandshakeOptions options{.context = net::make_client_context(tls).value(),
                                        .server_name = "localhost",
                                        .deadline = base::never,
                                        .tried = "test"};
    std::optional<Result<std::unique_ptr<net::Transport>>> result;
    const auto handshake = net::start_handshake(net::SocketWatcher::make(loop_, socket).value(), {}, options,
                                                [&](auto made) { result.emplace(std::move(made)); });
    EXPECT_TRUE(settles_to([&] { return result.has_value(); }));
    return std::move(*result).value();
  }
  bool has_logged(std::string_view text) const {
    return std::any_of(logged_.begin(), logged_.end(),
                       [&](const Logged& logged) { return logged.message.find(text) != std::string::npos; });
  }

  net::TemporaryDirectory directory_;
  net::TlsFiles files_{directory_};
  std::uint16_t port_ = 0;
};

TEST_F(TlsConnections, CountBeforeTheirHandshake) {
  ServerOptions options;
  options.max_connections = 1;
  listen(std::move(options));

  net::UniqueSocket silent = connect_socket();
  const net::UniqueSocket refused = connect_socket();
  ASSERT_TRUE(settles_to([&] { return server().totals().connections_refused == 1; }));
  EXPECT_TRUE(has_logged("the server's connections have reached max_connections 1"));

  silent = net::UniqueSocket();
  ASSERT_TRUE(settles_to([&] { return has_logged("tls: "); })) << "the silent one has gone";
  clients_.push_back(std::make_unique<TestClient>());
  TestClient& client = *clients_.back();
  client.start(shake_hands(connect_socket()));
  const session::CallId id = client.call("Echo", "x");
  ASSERT_TRUE(settles_to([&] { return client.has(id); }));
  EXPECT_EQ(client.response(id).payload, "x") << "its permit was released";
}

TEST_F(TlsConnections, OfAClientWithoutTlsEndWithAReason) {
  listen({});
  net::UniqueSocket socket = connect_socket();
  auto watcher = net::SocketWatcher::make(loop_, socket).value();
  clients_.push_back(std::make_unique<TestClient>());
  TestClient& client = *clients_.back();

  client.start(std::make_unique<net::SocketTransport>(std::move(watcher), net::PeerInfo{}));
  ASSERT_TRUE(settles_to([&] { return client.session().is_closed(); }));

  EXPECT_EQ(client.session().close_reason().message(),
            "handshake: the peer does not speak the native protocol; it seems to speak TLS, so the endpoint is tls://");
}

TEST_F(TlsConnections, HaveOneTimeForHandshakeAndFirstBytes) {
  listen({});
  net::UniqueSocket socket = connect_socket();
  settle();

  advance(6s);
  const std::unique_ptr<net::Transport> client = shake_hands(std::move(socket));
  ASSERT_TRUE(settles_to([&] { return server().totals().connections_accepted == 1; }));
  const bool early = !logged_.empty();
  advance(5s);

  EXPECT_FALSE(early);
  EXPECT_TRUE(has_logged("handshake: not completed by the peer within handshake_timeout 10000 ms"));
}

TEST_F(TlsConnections, AreClosedByAShutdownAmidTheirHandshake) {
  for (const bool has_proxy : {false, true}) {
    ServerOptions options;
    if (has_proxy) options.trusted_proxies = {"127.0.0.1"};
    listen(std::move(options));
    const net::UniqueSocket silent = connect_socket();
    bool is_shut_down = false;

    server().async_shutdown(10s, [&](const Status& status) { is_shut_down = status.is_ok(); });

    std::array<char, 1> byte{};
    EXPECT_TRUE(settles_to([&] { return ::recv(silent.get(), byte.data(), byte.size(), 0) == 0; })) << has_proxy;
    EXPECT_TRUE(is_shut_down);
  }
}

TEST_F(TlsConnections, FollowTheHeaderOfAProxy) {
  ServerOptions options;
  options.trusted_proxies = {"127.0.0.1"};
  listen(options);
  handle<Slice, Slice>("Peer", [](const Slice&, ServerContext& context) { return Slice::copy_of(context.peer()); });
  net::UniqueSocket socket = connect_socket();
  const std::string_view header = "PROXY TCP4 203.0.113.7 192.0.2.1 40000 443\r\n";
  ASSERT_EQ(::send(socket.get(), header.data(), header.size(), 0), static_cast<ssize_t>(header.size()));
  clients_.push_back(std::make_unique<TestClient>());
  TestClient& client = *clients_.back();

  client.start(shake_hands(std::move(socket)));
  const session::CallId id = client.call("Peer", "x");
  ASSERT_TRUE(settles_to([&] { return client.has(id); }));

  EXPECT_EQ(client.response(id).payload, "tls://203.0.113.7:40000");
}

}  // namespace

}  // namespace trunkline::server
