// SPDX-License-Identifier: MIT
// ServerLoop: accepts connections, drains, and ends one loop.
#include "server/server_loop.h"

#include "base/exception_text.h"
#include "net/lingering_close.h"
#include "net/proxy_header.h"
#include "session/protocol_table.h"
#include "wire/detector.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace trunkline::server {

ServerLoop::ServerLoop(std::shared_ptr<ServerState> server_state, net::Loop& loop)
    : context_(std::make_shared<LoopContext>(std::move(server_state), loop)),
      pending_(std::make_shared<net::PendingConnections>(loop)) {}

ServerLoop::~ServerLoop() = default;

// --- new connections ---

net::ConnectionPermit ServerLoop::acquire_permit(std::string_view peer) {
  ServerState& state = context_->server_state();
  return state.connections.acquire(load_, state.peers.share_of(peer));
}

void ServerLoop::refuse_over_limit(std::string_view peer) {
  ServerState& state = context_->server_state();
  refuse(LogLevel::warning, state.connections.refusal(state.peers.share_of(peer).get()), peer);
}

void ServerLoop::accept(net::AcceptedConnection accepted) {
  if (phase_ == Phase::closed) return accepted.transport->close();
  context_->totals().connections_accepted.add();
  const base::TimePoint since = accepted.accepted_at;
  // The net loop owns the sniffer, which may outlive the server.
  net::ProtocolSniffer::read(
      std::move(accepted.transport), context_->server_state().options.limits.handshake_timeout, since, pending_,
      [state = &context_->server_state(), keep = context_](const net::PeerInfo& peer, ByteSpan bytes) {
        const session::ProtocolTable::Detection detected = state->protocols.detect(peer.alpn, bytes);
        // A protocol that is not served is recognised as well, for an error that its client understands.
        return detected.protocol != nullptr || (detected.is_decided && wire::detect(bytes).has_value());
      },
      [weak = weak_from_this(), permit = std::move(accepted.permit), since,
       is_private = accepted.is_private](Result<net::SniffResult> sniffed) mutable {
        if (const std::shared_ptr<ServerLoop> self = weak.lock()) {
          self->on_sniffed(
              std::move(sniffed),
              {.transport = nullptr, .permit = std::move(permit), .accepted_at = since, .is_private = is_private});
        }
      });
}

void ServerLoop::on_sniffed(Result<net::SniffResult> sniffed, net::AcceptedConnection accepted) {
  if (phase_ == Phase::closed) return;
  if (!sniffed.is_ok()) return refuse(LogLevel::info, sniffed.status().message(), {});
  const session::Protocol* const protocol =
      context_->server_state().protocols.detect(sniffed->transport->peer().alpn, sniffed->bytes).protocol;
  if (protocol == nullptr) return reject_protocol(std::move(*sniffed), std::move(accepted));
  accepted.transport = std::move(sniffed->transport);
  serve(std::move(accepted), *protocol, sniffed->bytes);
}

void ServerLoop::reject_protocol(net::SniffResult sniffed, net::AcceptedConnection accepted) {
  const wire::DetectedProtocol protocol = wire::detect(sniffed.bytes).value_or(wire::DetectedProtocol::unknown);
  const bool is_unknown = protocol == wire::DetectedProtocol::unknown || protocol == wire::DetectedProtocol::text;
  const std::string spoken(is_unknown ? "no protocol that is known" : wire::to_string(protocol));
  if (net::ProxyHeader::is_likely(sniffed.bytes)) {
    return refuse(LogLevel::warning,
                  "the client sends a header of the PROXY protocol, but its address is not in trusted_proxies",
                  sniffed.transport->peer().address);
  }
  refuse(LogLevel::warning, "the client speaks " + spoken + ", this port only trunkline",
         sniffed.transport->peer().address);
  const std::string_view response = wire::rejection_for(protocol);
  if (response.empty()) return;
  net::LingeringClose::begin(std::move(sniffed.transport), response, std::move(accepted.permit));
}

void ServerLoop::serve(net::AcceptedConnection accepted, const session::Protocol& protocol, ByteSpan first_bytes) {
  std::shared_ptr<PeerShare> peer = ConnectionLimit::peer_of(accepted.permit);
  std::shared_ptr<session::MemoryAccount> account = context_->server_state().peers.account_of(peer);
  const auto factory = [this, &protocol, &account](session::SessionOwner& owner) {
    net::Loop& loop = context_->loop();
    return protocol.make_session({.role = session::Role::server,
                                  .options = context_->server_state().session_options,
                                  .timers = loop.timers(),
                                  .owner = owner,
                                  .now = loop.now(),
                                  .account = std::move(account)});
  };
  const std::string address = accepted.transport->peer().address;
  if (const auto interval = context_->server_state().options.limits.keepalive_interval; interval.count() > 0) {
    // A client without calls need not answer pings, but its system answers for it.
    constexpr int intervals_of_idle = 10;
    accepted.transport->ask_silent_peer(protocol.has_pings ? intervals_of_idle * interval : interval);
  }
  const auto connection =
      std::make_shared<ServerConnection>(context_, static_cast<ServerConnection::Owner&>(*this), std::move(peer));
  connections_.emplace(connection.get(), Served{connection, std::move(accepted.permit)});
  context_->totals().connections.add();
  try {
    connection->start(std::move(accepted.transport), factory, first_bytes, accepted.accepted_at, accepted.is_private);
  } catch (...) {
    connection->release();
    on_connection_closed(*connection);
    return refuse(LogLevel::error, base::current_exception_text(), address);
  }
  // A goaway tells the client that calls it has sent already will not run.
  if (phase_ == Phase::draining) connection->drain();
}

void ServerLoop::refuse(LogLevel level, std::string_view reason, std::string_view peer) {
  context_->totals().connections_refused.add();
  context_->server_state().log(level, "accept connection: " + std::string(reason), {}, peer);
}

// --- the end of connections ---

void ServerLoop::on_connection_closed(ServerConnection& connection) {
  // The node keeps the connection until this returns.
  auto node = connections_.extract(&connection);
  if (node.empty()) return;
  context_->totals().connections.add(-1);
  if (!connection.protocol_name().empty()) context_->protocols().remove(connection.protocol_name());
  node.mapped().permit.reset();
  remember_if_held(node.mapped().connection);
  context_->quiet_timer().note_activity();
  finish_drain_if_empty();
}

/// Streams keep a connection that has closed. What it has of the loop must go before the loop does, whoever keeps it.
void ServerLoop::remember_if_held(const std::shared_ptr<ServerConnection>& connection) {
  if (connection.use_count() == 1) return;
  constexpr std::size_t few = 64;
  if (held_.size() >= most_held_) {
    std::erase_if(held_, [](const auto& held) { return held.expired(); });
    most_held_ = std::max(few, 2 * held_.size());
  }
  held_.push_back(connection);
}

std::vector<std::shared_ptr<ServerConnection>> ServerLoop::all_connections() const {
  std::vector<std::shared_ptr<ServerConnection>> all;
  all.reserve(connections_.size());
  for (const auto& [key, served] : connections_) all.push_back(served.connection);
  return all;
}

void ServerLoop::drain(base::TimePoint deadline, std::function<void(std::size_t)> done) {
  const std::shared_ptr<ServerLoop> keep = shared_from_this();
  if (phase_ == Phase::serving) phase_ = Phase::draining;
  drained_ = std::move(done);
  drain_by(deadline);
  for (const auto& connection : all_connections()) connection->drain();
  context_->calls().visit([](ServerCall& call) { call.owner->on_draining(call); });
  finish_drain_if_empty();
}

void ServerLoop::expect_no_more(int turns) {
  if (turns > 0) {
    // The loop looks at its sockets before it runs what is posted in a turn.
    return context_->loop().post([weak = weak_from_this(), turns] {
      if (const std::shared_ptr<ServerLoop> self = weak.lock()) self->expect_no_more(turns - 1);
    });
  }
  const std::shared_ptr<ServerLoop> keep = shared_from_this();
  expects_no_more_ = true;
  pending_->end_all();
  finish_drain_if_empty();
}

void ServerLoop::drain_by(base::TimePoint deadline) {
  drain_deadline_ = std::min(drain_deadline_, deadline);
  if (drained_ && drain_deadline_ != base::never) context_->loop().timers().schedule(drain_timer_, drain_deadline_);
}

void ServerLoop::on_drain_timeout(base::Timer&, void* self, base::TimePoint) {
  auto& loop = *static_cast<ServerLoop*>(self);
  const Status reason(StatusCode::unavailable, "server shutdown: its timeout has passed");
  // New connections are closed from now on.
  loop.phase_ = Phase::closed;
  for (const auto& connection : loop.all_connections()) loop.cut_off_ += connection->unfinished();
  loop.context_->calls().visit([](ServerCall& call) { call.owner->on_drain_ended(call); });
  loop.close_all(reason);
}

std::size_t ServerLoop::close_all(const Status& reason) {
  phase_ = Phase::closed;
  pending_->end_all();
  std::size_t cut_off = 0;
  for (const auto& connection : all_connections()) {
    cut_off += connection->unfinished();
    connection->close(reason);
  }
  return cut_off;
}

void ServerLoop::finish_drain_if_empty() {
  if (!drained_ || !expects_no_more_ || !connections_.empty()) return;
  drain_timer_.cancel();
  std::exchange(drained_, nullptr)(cut_off_);
}

void ServerLoop::collect_statistics() { context_->metrics().start(); }

void ServerLoop::abandon() {
  const std::shared_ptr<ServerLoop> keep = shared_from_this();
  phase_ = Phase::closed;
  pending_->end_all();
  context_->metrics().stop();
  drain_timer_.cancel();
  context_->quiet_timer().stop();
  drained_ = nullptr;
  for (const auto& connection : all_connections()) {
    connection->release();
    on_connection_closed(*connection);
  }
  for (const auto& held : std::exchange(held_, {})) {
    if (const auto connection = held.lock()) connection->release();
  }
  // No handler is told before every call knows that its session is gone.
  context_->calls().visit([](ServerCall& call) { call.owner->on_detached(call); });
  context_->calls().visit([](ServerCall& call) { call.owner->on_stopped(call); });
  context_->hand_over_completions();
}

}  // namespace trunkline::server
