// SPDX-License-Identifier: MIT
// Handing accepted connections to their loops.
#include "net/acceptance.h"

#include "net/socket_address.h"
#include "net/socket_options.h"
#include "net/socket_transport.h"

namespace trunkline::net {

template <class Serve>
void Acceptance::hand_over(Serve serve) {
  Loop& loop = callbacks_.choose_loop ? callbacks_.choose_loop() : listener_loop_;
  if (&loop == &listener_loop_) {
    serve(loop);
  } else {
    loop.post([serve = std::move(serve), &loop]() mutable { serve(loop); });
  }
}

void Acceptance::accept(UniqueSocket socket) {
  // Shared only because std::function wants to copy.
  auto shared_socket = std::make_shared<UniqueSocket>(std::move(socket));
  hand_over([self = shared_from_this(), shared_socket = std::move(shared_socket), context = context_](Loop& loop) {
    if (!self->is_closed()) self->serve_socket(loop, std::move(*shared_socket), context);
  });
}

void Acceptance::accept(MemoryEnd end) {
  auto shared_end = std::make_shared<MemoryEnd>(std::move(end));
  hand_over([self = shared_from_this(), shared_end = std::move(shared_end)](Loop& loop) {
    if (!self->is_closed()) self->deliver(shared_end->claim(loop));
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

void Acceptance::serve_socket(Loop& loop, UniqueSocket socket, const std::shared_ptr<const TlsContext>& context) {
  PeerInfo peer = peer_info_of(socket.get(), scheme_);
  const int family = SocketAddress::local_of(socket.get()).family();
  const std::string tried = "accept " + peer.address;
  if (Status status = set_connected_options(socket.get(), family, options_.transport, tried); !status.is_ok())
    return report(status);
  auto readiness = Readiness::make(loop, socket.release());
  if (!readiness) return report(readiness.status());
  if (scheme_ == Scheme::tls) return shake_hands(std::move(*readiness), std::move(peer), context);
  deliver(std::make_unique<SocketTransport>(std::move(*readiness), std::move(peer)));
}

void Acceptance::shake_hands(Readiness::Pointer socket, PeerInfo peer,
                             const std::shared_ptr<const TlsContext>& context) {
  Loop& loop = socket->loop();
  HandshakeOptions options;
  options.context = context;
  options.tried = "accept " + peer.address;
  options.deadline = base::deadline_after(loop.now(), options_.handshake_timeout);
  struct Keep {
    Resident* resident = nullptr;
  };
  const auto keep = std::make_shared<Keep>();
  auto done = [self = shared_from_this(), &loop, keep](Result<std::unique_ptr<Transport>> result) {
    // This very function belongs to the handshake: what it needs is copied before that goes.
    const std::shared_ptr<Acceptance> acceptance = self;
    const std::unique_ptr<Resident> handshake = loop.evict(*keep->resident);
    if (!result) return acceptance->report(result.status());
    acceptance->deliver(std::move(*result));
  };
  std::unique_ptr<TlsHandshake> handshake =
      start_handshake(std::move(socket), std::move(peer), options, std::move(done));
  keep->resident = handshake.get();
  loop.house(std::move(handshake));
}

void Acceptance::deliver(std::unique_ptr<Transport> transport) const {
  if (!is_closed()) callbacks_.on_accept(std::move(transport));
}

}  // namespace trunkline::net
