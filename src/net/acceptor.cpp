// SPDX-License-Identifier: MIT
// Acceptor: assigns accepted connections to loops, and shakes hands there.
#include "net/acceptor.h"

#include "net/loop_owned.h"
#include "net/proxy_header_reader.h"
#include "net/socket_address.h"
#include "net/socket_options.h"
#include "net/socket_transport.h"
#include "net/tls_handshake.h"

#include <chrono>
#include <functional>
#include <utility>

namespace trunkline::net {

namespace {

/// The time that a connection waits for the loop to which it is assigned.
constexpr std::chrono::milliseconds longest_wait{100};

std::string uri_of(const ProxiedAddress& address, Scheme scheme) {
  if (address.family == ProxiedAddress::Family::unix_path) {
    if (address.host.empty()) return "unix:";
    return (address.host.front() == '@' ? "unix:" : "unix://") + address.host;
  }
  const std::string host = address.host.find(':') == std::string::npos ? address.host : "[" + address.host + "]";
  return (scheme == Scheme::tls ? "tls://" : "tcp://") + host + ":" + std::to_string(address.port);
}

/// Returns a connection that has no transport yet.
AcceptedConnection connection_of(LoopAssignment assignment, base::TimePoint accepted_at) {
  return {.transport = nullptr,
          .permit = std::move(assignment.permit),
          .accepted_at = accepted_at,
          .pending = std::move(assignment.pending)};
}

}  // namespace

/// Waits on the loop that has accepted a connection, and then takes it back unless the other loop has it.
class Acceptor::Rescue final : public LoopOwned {
 public:
  static void schedule(Loop& loop, std::function<void()> take_back) {
    auto rescue = std::unique_ptr<Rescue>(new Rescue(loop, std::move(take_back)));
    loop.timers().schedule(rescue->timer_, loop.now() + longest_wait);
    loop.adopt(std::move(rescue));
  }

 private:
  Rescue(Loop& loop, std::function<void()> take_back)
      : loop_(loop),
        take_back_(std::move(take_back)),
        timer_([](base::Timer&, void* self, base::TimePoint) { static_cast<Rescue*>(self)->run(); }, this) {}
  void run() {
    const std::unique_ptr<LoopOwned> self = loop_.release(*this);
    take_back_();
  }

  Loop& loop_;
  const std::function<void()> take_back_;
  base::Timer timer_;
};

template <class Serve>
void Acceptor::hand_over(Loop& here, const std::string& peer, Serve serve) {
  LoopAssignment assigned{.loop = &here};
  if (callbacks_.assign) assigned = callbacks_.assign(peer);
  if (assigned.loop == nullptr) return;
  const base::TimePoint now = here.now();
  if (assigned.loop == &here) {
    return serve(here, connection_of(std::move(assigned), now));
  }
  struct Handover {
    Handover(Serve work, LoopAssignment to) : serve(std::move(work)), assignment(std::move(to)) {}
    Serve serve;
    LoopAssignment assignment;
    std::atomic<bool> is_taken{false};
  };
  net::Loop& loop = *assigned.loop;
  const auto handover = std::make_shared<Handover>(std::move(serve), std::move(assigned));
  loop.post([handover, &loop, now] {
    if (handover->is_taken.exchange(true)) return;
    handover->serve(loop, connection_of(std::move(handover->assignment), now));
  });
  if (!callbacks_.assign_here) return;
  Rescue::schedule(here, [self = shared_from_this(), handover, &here, peer, now] {
    if (handover->is_taken.exchange(true)) return;
    handover->assignment.permit.reset();
    if (self->is_closed()) return;
    LoopAssignment again = self->callbacks_.assign_here(here, peer);
    if (again.loop == nullptr) return;
    handover->serve(here, connection_of(std::move(again), now));
  });
}

void Acceptor::accept(Loop& here, UniqueSocket socket) {
  PeerInfo peer = peer_info_of(socket.get(), scheme_);
  // It is known later for which client a proxy speaks.
  const std::string address = options_.trusted_proxies.contains(peer.address) ? std::string() : peer.address;
  // The socket is shared only because std::function has to be copyable.
  auto shared_socket = std::make_shared<UniqueSocket>(std::move(socket));
  hand_over(here, address,
            [self = shared_from_this(), shared_socket = std::move(shared_socket), peer = std::move(peer),
             tls = next_context()](Loop& loop, AcceptedConnection connection) mutable {
              if (self->is_closed()) return;
              self->serve_socket(loop, std::move(*shared_socket), std::move(peer), std::move(connection), tls);
            });
}

void Acceptor::accept(Loop& here, MemoryEnd end) {
  const std::string address = end.address();
  auto shared_end = std::make_shared<MemoryEnd>(std::move(end));
  hand_over(here, address,
            [self = shared_from_this(), shared_end = std::move(shared_end)](Loop& loop, AcceptedConnection connection) {
              if (self->is_closed()) return;
              connection.transport = shared_end->claim(loop);
              self->deliver(std::move(connection));
            });
}

std::shared_ptr<const TlsContext> Acceptor::context() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

void Acceptor::report(const Status& error) const {
  if (callbacks_.on_error && !is_closed()) callbacks_.on_error(error);
}

Status Acceptor::load_tls() {
  if (scheme_ != Scheme::tls) return {StatusCode::failed_precondition, "reload tls: the endpoint is not tls://"};
  auto context = make_server_context(options_.tls);
  if (!context) return std::move(context).status();
  set_context(std::move(*context));
  return {};
}

void Acceptor::set_context(std::shared_ptr<const TlsContext> context) {
  const std::lock_guard lock(mutex_);
  context_.swap(context);
}

std::shared_ptr<const TlsContext> Acceptor::next_context() {
  if (scheme_ != Scheme::tls || options_.tls.renew == nullptr) return context();
  if (const std::shared_ptr<const TlsOptions> renewed = options_.tls.renew()) {
    TlsOptions options = *renewed;
    options.alpn = options_.tls.alpn;
    auto made = make_server_context(options);
    if (made) {
      set_context(std::move(*made));
    } else {
      report({made.status().code(), "renew tls: " + std::string(made.status().message())});
    }
  }
  return context();
}

void Acceptor::serve_socket(Loop& loop, UniqueSocket socket, PeerInfo peer, AcceptedConnection connection,
                            const std::shared_ptr<const TlsContext>& context) {
  const int family = SocketAddress::local_of(socket.get()).family();
  const std::string tried = "accept " + peer.address;
  if (Status status = set_connected_options(socket.get(), family, options_.transport, tried); !status.is_ok())
    return report(status);
  auto watcher = SocketWatcher::make(loop, socket);
  if (!watcher) return report(watcher.status());
  if (options_.trusted_proxies.contains(peer.address)) {
    return read_proxy_header(std::move(*watcher), std::move(peer), std::move(connection), context);
  }
  serve_watched(std::move(*watcher), std::move(peer), std::move(connection), context);
}

void Acceptor::read_proxy_header(SocketWatcher::Pointer socket, PeerInfo peer, AcceptedConnection connection,
                                 const std::shared_ptr<const TlsContext>& context) {
  Loop& loop = socket->loop();
  std::string tried = "accept " + peer.address;
  const base::TimePoint deadline = base::deadline_after(connection.accepted_at, options_.handshake_timeout);
  std::shared_ptr<PendingConnections> pending = connection.pending;
  // The connection is shared only because std::function has to be copyable.
  const auto held = std::make_shared<AcceptedConnection>(std::move(connection));
  auto done = [self = shared_from_this(), &loop, peer = std::move(peer), held, context](
                  Result<ProxyHeader> header, SocketWatcher::Pointer watcher) {
    if (self->is_closed()) return;
    if (!header) return self->report(header.status());
    PeerInfo client = peer;
    if (!header->is_local) {
      client.address = uri_of(header->source, self->scheme_);
      client.local_address = uri_of(header->destination, self->scheme_);
    }
    if (self->callbacks_.assign_here) {
      // The permit was granted for no address.
      held->permit.reset();
      LoopAssignment assigned = self->callbacks_.assign_here(loop, client.address);
      if (assigned.loop == nullptr) return;
      held->permit = std::move(assigned.permit);
    }
    self->serve_watched(std::move(watcher), std::move(client), std::move(*held), context);
  };
  ProxyHeaderReader::read(std::move(socket), std::move(tried), deadline, std::move(pending), std::move(done));
}

void Acceptor::serve_watched(SocketWatcher::Pointer socket, PeerInfo peer, AcceptedConnection connection,
                             const std::shared_ptr<const TlsContext>& context) {
  if (scheme_ == Scheme::tls) return start_tls(std::move(socket), std::move(peer), std::move(connection), context);
  connection.transport = std::make_unique<SocketTransport>(std::move(socket), std::move(peer));
  deliver(std::move(connection));
}

void Acceptor::start_tls(SocketWatcher::Pointer socket, PeerInfo peer, AcceptedConnection connection,
                         const std::shared_ptr<const TlsContext>& context) {
  Loop& loop = socket->loop();
  HandshakeOptions options;
  options.context = context;
  options.tried = "accept " + peer.address;
  options.deadline = base::deadline_after(connection.accepted_at, options_.handshake_timeout);
  options.permit = connection.permit;
  options.pending = connection.pending;
  struct State {
    LoopOwned* handshake = nullptr;
    AcceptedConnection connection;
  };
  const auto state = std::make_shared<State>();
  state->connection = std::move(connection);
  auto done = [self = shared_from_this(), &loop, state](Result<std::unique_ptr<Transport>> result) {
    // This function belongs to the handshake, so what it needs is copied before the handshake is destroyed.
    const std::shared_ptr<Acceptor> acceptor = self;
    AcceptedConnection accepted = std::move(state->connection);
    const std::unique_ptr<LoopOwned> handshake = loop.release(*state->handshake);
    if (!result) return acceptor->report(result.status());
    accepted.transport = std::move(*result);
    acceptor->deliver(std::move(accepted));
  };
  std::unique_ptr<TlsHandshake> handshake =
      start_handshake(std::move(socket), std::move(peer), options, std::move(done));
  state->handshake = handshake.get();
  loop.adopt(std::move(handshake));
}

void Acceptor::deliver(AcceptedConnection connection) const {
  if (!is_closed()) callbacks_.on_accept(std::move(connection));
}

}  // namespace trunkline::net
