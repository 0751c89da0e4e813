// SPDX-License-Identifier: MIT
// Which connections a server refuses and closes: too many, silent, idle, or of another protocol.
#include "base/block_pool.h"
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include "wire/detector.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <stdexcept>

namespace trunkline::server {

namespace {

/// The beginning of a TLS handshake, on a port without TLS.
constexpr std::string_view tls_hello{"\x16\x03\x01\x00\xf0\x01\x00\x00\xec\x03\x03", 11};

class ServerConnections : public ServerFixture {
 protected:
  /// Writes `bytes` as a client of any protocol would, and returns what the server sends.
  std::string talk(net::Transport& transport, std::string_view bytes) {
    const ByteSpan span = as_bytes(bytes);
    EXPECT_EQ(transport.write({&span, 1}).bytes, span.size());
    settle();
    return listen_to(transport);
  }
  std::string listen_to(net::Transport& transport) {
    std::string heard;
    std::array<std::byte, 4096> buffer;
    while (true) {
      const MutableByteSpan room(buffer);
      const net::IoResult result = transport.read({&room, 1});
      ended_ = result.state == net::IoState::end_of_stream || result.state == net::IoState::failed;
      if (result.state != net::IoState::ok) return heard;
      heard += as_text({buffer.data(), result.bytes});
    }
  }
  bool ended_ = false;
};

#if defined(__GLIBC__)
/// With blocks as a burst of messages leaves them behind.
class MemoryOfABurst : public ServerConnections {
 protected:
  static std::size_t bytes_in_use() {
    const struct mallinfo2 usage = mallinfo2();
    return usage.uordblks + usage.hblkhd;
  }
  /// False: this build keeps no blocks.
  static bool leave_blocks() {
    const std::size_t before = bytes_in_use();
    std::vector<Block*> blocks(3);
    for (Block*& block : blocks) block = Block::allocate(size);
    for (Block* block : blocks) block->release();
    return bytes_in_use() >= before + blocks.size() * size;
  }
  static constexpr std::size_t size = 1 << 20;
};

TEST_F(MemoryOfABurst, IsReturnedAfterTheLastConnection) {
  base::free_block_pool();
  TestClient& last = connect();
  last.close();
  settle();
  if (!leave_blocks()) GTEST_SKIP() << "blocks are not kept here";
  const std::size_t with_blocks = bytes_in_use();

  for (int second = 0; second < 4; ++second) advance(std::chrono::seconds(1));

  EXPECT_LT(bytes_in_use(), with_blocks - 2 * size);
}

TEST_F(MemoryOfABurst, IsReturnedWhileAConnectionRemains) {
  handle_echo();
  base::free_block_pool();
  TestClient& client = connect();
  if (!leave_blocks()) GTEST_SKIP() << "blocks are not kept here";
  const std::size_t with_blocks = bytes_in_use();
  EXPECT_EQ(call(client, "Echo", "x").payload, "x");

  for (int second = 0; second < 4; ++second) advance(std::chrono::seconds(1));

  EXPECT_LT(bytes_in_use(), with_blocks - 2 * size);
}

TEST_F(MemoryOfABurst, IsReturnedWhileAConnectionIsBusy) {
  handle_echo();
  base::free_block_pool();
  TestClient& client = connect();
  if (!leave_blocks()) GTEST_SKIP() << "blocks are not kept here";
  const std::size_t with_blocks = bytes_in_use();

  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(call(client, "Echo", "x").payload, "x");
    advance(std::chrono::milliseconds(100));
  }

  EXPECT_LT(bytes_in_use(), with_blocks - 2 * size);
}
#endif

TEST_F(ServerConnections, RefusesOverMaxConnections) {
  ServerOptions options;
  options.max_connections = 2;
  make_server(options);
  TestClient& first = connect();
  connect();

  TestClient& third = connect();
  const bool refused = third.is_closed();
  first.close();
  settle();
  TestClient& fourth = connect();

  EXPECT_TRUE(refused);
  EXPECT_FALSE(fourth.is_closed());
  EXPECT_EQ(server().totals().connections_refused, 1u);
  ASSERT_FALSE(logged_.empty());
  EXPECT_EQ(logged_[0].message, "accept connection: the server's connections have reached max_connections 2");
}

TEST_F(ServerConnections, WhoseSessionsCannotBeMadeLeaveNothingBehind) {
  session::ProtocolTable protocols = session::ProtocolTable::with_defaults();
  protocols.add({.name = "broken",
                 .alpn = "",
                 .match =
                     [](ByteSpan bytes) noexcept {
                       return as_text(bytes).starts_with("broken") ? session::ProtocolMatch::yes
                                                                   : session::ProtocolMatch::no;
                     },
                 .make_session = [](const session::SessionParameters&) -> std::unique_ptr<session::Session> {
                   throw std::runtime_error("no session");
                 }});
  ServerOptions options;
  options.max_connections = 1;
  options.log = [this](const LogRecord& record) {
    logged_.push_back({record.level, std::string(record.message), {}, {}});
  };
  core_ = std::make_shared<ServerCore>(loop_, options, protocols);
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));

  talk(*near, "broken");

  EXPECT_TRUE(ended_);
  EXPECT_EQ(server().totals().connections, 0u);
  EXPECT_EQ(server().totals().connections_refused, 1u);
  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].message, "accept connection: no session");
  EXPECT_FALSE(connect().is_closed()) << "it still has its place";
  server().stop();
}

TEST_F(ServerConnections, RespondsToOtherProtocolsInThoseProtocols) {
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));

  const std::string received = talk(*near, tls_hello);

  EXPECT_EQ(received, wire::rejection_for(wire::DetectedProtocol::tls));
  EXPECT_FALSE(received.empty());
  EXPECT_TRUE(ended_);
  EXPECT_EQ(server().totals().connections_refused, 1u);
  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].message, "accept connection: the client speaks tls, this port only trunkline");
}

TEST_F(ServerConnections, AnswerPlainHttp) {
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));

  const std::string received = talk(*near, "GET /Nothing HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_THAT(received, ::testing::StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(received, ::testing::HasSubstr("\"code\":\"unimplemented\""));
  EXPECT_FALSE(ended_);
}

TEST_F(ServerConnections, TellClientsOfWebSocketWhatIsWrong) {
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));

  const std::string received =
      talk(*near, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");

  EXPECT_THAT(received, ::testing::StartsWith("HTTP/1.1 4"));
  EXPECT_THAT(received, ::testing::HasSubstr("ec-WebSocket"));
  EXPECT_TRUE(ended_);
}

TEST_F(ServerConnections, RespondToAnotherPrefaceWithTheirOwnAndGoaway) {
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));

  const std::string received = talk(*near, "\xF5TRKL\r\n\x02");

  EXPECT_EQ(received, wire::rejection_for(wire::DetectedProtocol::unknown));
  EXPECT_FALSE(received.empty());
  EXPECT_TRUE(ended_);
  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].message,
            "accept connection: the client speaks no protocol that is known, this port only trunkline");
}

TEST_F(ServerConnections, LingerAfterTheResponseToAnotherProtocol) {
  ServerOptions options;
  options.max_connections = 1;
  make_server(options);
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));
  static_cast<void>(talk(*near, tls_hello));

  const ByteSpan body = as_bytes("the body comes later");
  const net::IoState written = near->write({&body, 1}).state;
  const bool is_refused_meanwhile = connect().is_closed();
  advance(std::chrono::milliseconds(1001));
  const net::IoState late = near->write({&body, 1}).state;

  EXPECT_EQ(written, net::IoState::ok);
  EXPECT_TRUE(is_refused_meanwhile) << "the lingering connection still counts";
  EXPECT_EQ(late, net::IoState::failed);
  EXPECT_FALSE(connect().is_closed()) << "its permit was not released";
}

TEST_F(ServerConnections, RespondToUnknownBytesAsToAnotherPreface) {
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));

  const std::string received = talk(*near, "\x01\x02\x03 what is this supposed to be?");

  EXPECT_EQ(received, wire::rejection_for(wire::DetectedProtocol::unknown));
  EXPECT_TRUE(ended_);
}

TEST_F(ServerConnections, AcceptsTheFirstBytesOneByOne) {
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));
  std::string heard;

  for (const char byte : std::string_view("\xF5TRKL\r\n\x01", 8)) heard += talk(*near, {&byte, 1});

  EXPECT_EQ(heard.substr(0, 8), std::string_view("\xF5TRKL\r\n\x01", 8));
  EXPECT_FALSE(ended_);
}

TEST_F(ServerConnections, ClosesSilentOnesAfterHandshakeTimeout) {
  ServerOptions options;
  options.limits.handshake_timeout = std::chrono::seconds(3);
  make_server(options);
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));
  settle();

  advance(std::chrono::milliseconds(2900));
  static_cast<void>(listen_to(*near));
  const bool early = ended_;
  advance(std::chrono::milliseconds(200));
  static_cast<void>(listen_to(*near));

  EXPECT_FALSE(early);
  EXPECT_TRUE(ended_);
  EXPECT_EQ(server().totals().connections_refused, 1u);
}

TEST_F(ServerConnections, CountTheHandshakeTimeoutFromTheAccept) {
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));
  settle();

  advance(std::chrono::seconds(6));
  static_cast<void>(talk(*near, std::string_view("\xF5TRKL\r\n\x01", 8)));
  const bool early = ended_;
  advance(std::chrono::seconds(5));
  const std::string heard = listen_to(*near);

  EXPECT_FALSE(early);
  EXPECT_TRUE(ended_);
  EXPECT_NE(heard.find("not completed by the peer within handshake_timeout 10000 ms"), std::string::npos);
}

TEST_F(ServerConnections, ReleasesThosePeersThatCloseBeforeTheirFirstBytes) {
  ServerOptions options;
  options.max_connections = 1;
  make_server(options);
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));
  settle();

  near.reset();
  settle();

  EXPECT_FALSE(connect().is_closed()) << "its permit was not released";
}

TEST_F(ServerConnections, DrainsIdleOnes) {
  ServerOptions options;
  options.idle_timeout = std::chrono::seconds(10);
  make_server(options);
  handle_echo();
  TestClient& client = connect();

  advance(std::chrono::seconds(6));
  call(client, "Echo", "x");
  advance(std::chrono::seconds(6));
  const bool early = client.has_goaway();
  advance(std::chrono::seconds(5));

  EXPECT_FALSE(early) << "a call counts as use";
  EXPECT_TRUE(client.has_goaway());
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(ServerConnections, DrainAtTheirAge) {
  ServerOptions options;
  options.max_connection_age = std::chrono::seconds(10);
  make_server(options);
  handle_echo();
  TestClient& client = connect();

  for (int i = 0; i < 8; ++i) {
    advance(std::chrono::seconds(1));
    call(client, "Echo", "x");
  }
  const bool early = client.has_goaway();
  advance(std::chrono::milliseconds(3001));

  EXPECT_FALSE(early);
  EXPECT_TRUE(client.has_goaway());
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(ServerConnections, GiveTheirCallsAGraceAtTheirAge) {
  ServerOptions options;
  options.max_connection_age = std::chrono::seconds(10);
  options.max_connection_age_grace = std::chrono::seconds(5);
  make_server(options);
  Gate gate(loop_);
  handle<Slice, Slice>("Wait", [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
    co_await gate.pass();
    co_return request;
  });
  TestClient& client = connect();
  const session::CallId id = client.call("Wait", "x");
  settle();

  advance(std::chrono::milliseconds(11001));
  const bool has_goaway = client.has_goaway();
  const bool is_closed_early = client.is_closed();
  advance(std::chrono::milliseconds(5001));

  EXPECT_TRUE(has_goaway);
  EXPECT_FALSE(is_closed_early);
  EXPECT_TRUE(client.is_closed());
  ASSERT_EQ(client.response(id).status.code(), StatusCode::unavailable);
}

TEST_F(ServerConnections, DoesNotCallAnOpenCallIdle) {
  ServerOptions options;
  options.idle_timeout = std::chrono::seconds(10);
  make_server(options);
  Gate gate(loop_);
  handle<Slice, Slice>("Wait", [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
    co_await gate.pass();
    co_return request;
  });
  TestClient& client = connect();
  const session::CallId id = client.call("Wait", "x");
  settle();

  for (int i = 0; i < 5; ++i) advance(std::chrono::seconds(9));
  gate.open();
  settle();

  EXPECT_FALSE(client.has_goaway());
  EXPECT_TRUE(client.response(id).status.is_ok());
}

}  // namespace

}  // namespace trunkline::server
