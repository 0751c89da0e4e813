// SPDX-License-Identifier: MIT
// Handing accepted connections to their loops.
#include "net/acceptance.h"

#include "net/socket_address.h"
#include "net/socket_options.h"
#include "net/socket_transport.h"

namespace trunkline::net {

template <class Serve>
void Acceptance::hand_over(const std::string& peer, Serve serve) {
  Placement placement{.loop = &listener_loop_};
  if (callbacks_.place) placement = callbacks_.place(peer);
  if (placement.loop == nullptr) return;
  const base::TimePoint now = listener_loop_.now();
  auto go = [serve = std::move(serve), loop = placement.loop, place = std::move(placement.place), now]() mutable {
    serve(*loop, Arrival{.transport = nullptr, .place = std::move(place), .since = now});
  };
  if (placement.loop == &listener_loop_) return go();
  placement.loop->post(std::move(go));
}

void Acceptance::accept(UniqueSocket socket) {
  PeerInfo peer = peer_info_of(socket.get(), scheme_);
  const std::string address = peer.address;
  // Shared only because std::function wants to copy.
  auto shared_socket = std::make_shared<UniqueSocket>(std::move(socket));
  hand_over(address, [self = shared_from_this(), shared_socket = std::move(shared_socket), peer = std::move(peer),
                      context = context_](Loop& loop, Arrival arrival) mutable {
    if (self->is_closed()) return;
    self->serve_socket(loop, std::move(*shared_socket), std::move(peer), std::move(arrival), context);
  });
}

void Acceptance::accept(MemoryEnd end) {
  const std::string address = end.address();
  auto shared_end = std::make_shared<MemoryEnd>(std::move(end));
  hand_over(address,
            [self = shared_from_this(), shared_end = std::move(shared_end)](Loop& loop, Arrival arrival) mutable {
              if (self->is_closed()) return;
              arrival.transport = shared_end->claim(loop);
              self->deliver(std::move(arrival));
            });
}

void Acceptance::report(const Status& error) const {
  if (callbacks_.on_error && !is_closed()) callbacks_.on_error(error);
}

Status Acceptance::load_tls() {
  if (scheme_ != Scheme::tls) return {StatusCode::failed_precondition, "reload tls: the endpoint is not tls://"};
  auto context = make_server_context(options_.tls);
  if (!context) return std::move(context).status();
  context_ = std::move(*context);
  return {};
}

void Acceptance::serve_socket(Loop& loop, UniqueSocket socket, PeerInfo peer, Arrival arrival,
                              const std::shared_ptr<const TlsContext>& context) {
  const int family = SocketAddress::local_of(socket.get()).family();
  const std::string tried = "accept " + peer.address;
  if (Status status = set_connected_options(socket.get(), family, options_.transport, tried); !status.is_ok())
    return report(status);
  auto readiness = Readiness::make(loop, socket);
  if (!readiness) return report(readiness.status());
  if (scheme_ == Scheme::tls) return shake_hands(std::move(*readiness), std::move(peer), std::move(arrival), context);
  arrival.transport = std::make_unique<SocketTransport>(std::move(*readiness), std::move(peer));
  deliver(std::move(arrival));
}

void Acceptance::shake_hands(Readiness::Pointer socket, PeerInfo peer, Arrival arrival,
                             const std::shared_ptr<const TlsContext>& context) {
  Loop& loop = socket->loop();
  HandshakeOptions options;
  options.context = context;
  options.tried = "accept " + peer.address;
  options.deadline = base::deadline_after(arrival.since, options_.handshake_timeout);
  options.place = arrival.place;
  struct Keep {
    Resident* resident = nullptr;
    Arrival arrival;
  };
  const auto keep = std::make_shared<Keep>();
  keep->arrival = std::move(arrival);
  auto done = [self = shared_from_this(), &loop, keep](Result<std::unique_ptr<Transport>> result) {
    // This very function belongs to the handshake: what it needs is copied before that goes.
    const std::shared_ptr<Acceptance> acceptance = self;
    Arrival arrived = std::move(keep->arrival);
    const std::unique_ptr<Resident> handshake = loop.evict(*keep->resident);
    if (!result) return acceptance->report(result.status());
    arrived.transport = std::move(*result);
    acceptance->deliver(std::move(arrived));
  };
  std::unique_ptr<TlsHandshake> handshake =
      start_handshake(std::move(socket), std::move(peer), options, std::move(done));
  keep->resident = handshake.get();
  loop.house(std::move(handshake));
}

void Acceptance::deliver(Arrival arrival) const {
  if (!is_closed()) callbacks_.on_accept(std::move(arrival));
}

}  // namespace trunkline::net
