// SPDX-License-Identifier: MIT
// Clients that send and never read: the server's work and memory are bounded.
#include "kit/manual_clock.h"
#include "net/memory_transport.h"
#include "server/server_core.h"
#include "session/native/native_session.h"

#include <trunkline/detail/unary_handler.h>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::server {

namespace {

constexpr std::size_t clients = 100;
constexpr std::size_t response_bytes = 16 << 10;
constexpr std::size_t link_bytes = 64 << 10;

/// Writes calls as fast as the link takes them, within the limits that hold before the server's hello. Reads nothing.
class ClientThatNeverReads final : private session::SessionOwner {
 public:
  ClientThatNeverReads(net::Loop& loop, const session::SessionOptions& options,
                       std::unique_ptr<net::Transport> transport)
      : session_(
            session::native::make_native_session(session::Role::client, options, loop.timers(), *this, loop.now())),
        transport_(std::move(transport)) {}

  /// Reads the server's hello, so that the server's limits apply, and nothing after it.
  void shake_hands() {
    std::array<MutableByteSpan, 2> room;
    const std::size_t count = session_->prepare_receive(room);
    const net::IoResult result = transport_->read({room.data(), count});
    if (result.state == net::IoState::ok) session_->received(result.bytes, base::TimePoint{});
    session::Event event;
    while (session_->next(event)) {
    }
  }
  void write() {
    std::array<ByteSpan, 64> spans;
    while (session_->has_output()) {
      const net::IoResult result = transport_->write({spans.data(), session_->gather(spans)});
      if (result.state != net::IoState::ok) return;
      session_->wrote(result.bytes);
    }
  }
  void call(const Codec& codec) {
    if (!session_->can_start()) return;
    session::CallStart start;
    start.method = {.key = 1, .name = "Grow"};
    static_cast<void>(session_->start(start, {.codec = &codec, .payload = Slice::from_static("x")}));
  }
  bool is_open() const { return session_->is_open(); }

 private:
  void on_session_wake() noexcept override {}

  std::unique_ptr<session::Session> session_;
  std::unique_ptr<net::Transport> transport_;
};

void settle(net::Loop& loop) {
  while (loop.poll()) {
  }
}

TEST(ServerMemory, IsBoundedWhileClientsSendAndNeverRead) {
  kit::ManualClock clock;
  net::Loop loop({}, &clock);
  ServerOptions server_options;
  server_options.limits.max_unsent_bytes = 256 << 10;
  auto server = std::make_shared<ServerCore>(loop, server_options);
  auto grow = [](const Slice&, std::string& response, ServerContext&) {
    response.assign(response_bytes, 'x');
    return Status::ok();
  };
  server->methods().add("Grow", std::make_unique<detail::UnaryHandler<Slice, std::string, decltype(grow)>>(grow, false),
                        {});
  const CodecRegistry codecs = CodecRegistry::with_defaults();
  const CompressorRegistry compressors;
  // The credit for responses is large, so that only the server's own limit applies.
  ConnectionLimits limits;
  limits.connection_credit_bytes = 1u << 30;
  const session::SessionOptions options{.limits = limits, .codecs = &codecs, .compressors = &compressors};
  std::vector<std::unique_ptr<ClientThatNeverReads>> deaf;
  for (std::size_t i = 0; i < clients; ++i) {
    auto [near, far] = net::make_memory_pair(loop, loop, {.buffer_bytes = link_bytes});
    deaf.push_back(std::make_unique<ClientThatNeverReads>(loop, options, std::move(near)));
    server->accept_transport(std::move(far));
    deaf.back()->write();
    settle(loop);
    deaf.back()->shake_hands();
    ASSERT_TRUE(deaf.back()->is_open());
  }

  for (int round = 0; round < 20; ++round) {
    for (const auto& client : deaf) {
      for (int i = 0; i < 100; ++i) client->call(*codecs.find("bytes"));
      client->write();
    }
    settle(loop);
  }

  // The responses that fit into the link and under max_unsent_bytes, and one more: each client sent 2000 calls.
  const std::size_t most = clients * ((link_bytes + server_options.limits.max_unsent_bytes) / response_bytes + 2);
  const ServerTotals totals = server->totals();
  EXPECT_EQ(totals.connections, clients);
  EXPECT_GE(totals.calls_ok, clients);
  EXPECT_LE(totals.calls_ok, most);
  deaf.clear();
  settle(loop);
  // The server waits for the last bytes of its peers.
  clock.advance(std::chrono::seconds(2));
  settle(loop);
  EXPECT_EQ(server->totals().connections, 0u);
}

}  // namespace

}  // namespace trunkline::server
