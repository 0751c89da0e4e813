// SPDX-License-Identifier: MIT
// Assigns accepted connections to loops, and shakes hands there.
#include "net/acceptor.h"

#include "net/socket_address.h"
#include "net/socket_options.h"
#include "net/socket_transport.h"
#include "net/tls_handshake.h"

namespace trunkline::net {

template <class Serve>
void Acceptor::hand_over(const std::string& peer, Serve serve) {
  LoopAssignment assigned{.loop = &listener_loop_};
  if (callbacks_.assign) assigned = callbacks_.assign(peer);
  if (assigned.loop == nullptr) return;
  const base::TimePoint now = listener_loop_.now();
  auto go = [serve = std::move(serve), loop = assigned.loop, permit = std::move(assigned.permit), now]() mutable {
    serve(*loop, AcceptedConnection{.transport = nullptr, .permit = std::move(permit), .accepted_at = now});
  };
  if (assigned.loop == &listener_loop_) return go();
  assigned.loop->post(std::move(go));
}

void Acceptor::accept(UniqueSocket socket) {
  PeerInfo peer = peer_info_of(socket.get(), scheme_);
  const std::string address = peer.address;
  // Shared only because std::function has to be copyable.
  auto shared_socket = std::make_shared<UniqueSocket>(std::move(socket));
  hand_over(address, [self = shared_from_this(), shared_socket = std::move(shared_socket), peer = std::move(peer),
                      context = context_](Loop& loop, AcceptedConnection connection) mutable {
    if (self->is_closed()) return;
    self->serve_socket(loop, std::move(*shared_socket), std::move(peer), std::move(connection), context);
  });
}

void Acceptor::accept(MemoryEnd end) {
  const std::string address = end.address();
  auto shared_end = std::make_shared<MemoryEnd>(std::move(end));
  hand_over(address, [self = shared_from_this(), shared_end = std::move(shared_end)](
                         Loop& loop, AcceptedConnection connection) mutable {
    if (self->is_closed()) return;
    connection.transport = shared_end->claim(loop);
    self->deliver(std::move(connection));
  });
}

void Acceptor::report(const Status& error) const {
  if (callbacks_.on_error && !is_closed()) callbacks_.on_error(error);
}

Status Acceptor::load_tls() {
  if (scheme_ != Scheme::tls) return {StatusCode::failed_precondition, "reload tls: the endpoint is not tls://"};
  auto context = make_server_context(options_.tls);
  if (!context) return std::move(context).status();
  context_ = std::move(*context);
  return {};
}

void Acceptor::serve_socket(Loop& loop, UniqueSocket socket, PeerInfo peer, AcceptedConnection connection,
                            const std::shared_ptr<const TlsContext>& context) {
  const int family = SocketAddress::local_of(socket.get()).family();
  const std::string tried = "accept " + peer.address;
  if (Status status = set_connected_options(socket.get(), family, options_.transport, tried); !status.is_ok())
    return report(status);
  auto watcher = SocketWatcher::make(loop, socket);
  if (!watcher) return report(watcher.status());
  if (scheme_ == Scheme::tls) return start_tls(std::move(*watcher), std::move(peer), std::move(connection), context);
  connection.transport = std::make_unique<SocketTransport>(std::move(*watcher), std::move(peer));
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
