// SPDX-License-Identifier: MIT
// DialAttempt: a non-blocking connect, and what follows it.
#include "net/dial_attempt.h"

#include "net/socket_options.h"
#include "net/socket_transport.h"
#include "net/system_error.h"
#include "net/unique_socket.h"

#include <cerrno>
#include <utility>

namespace trunkline::net {

DialAttempt::DialAttempt(Loop& loop, const Endpoint& endpoint, const TransportOptions& options,
                         std::shared_ptr<const TlsContext> tls, const SocketAddress& address, std::string tried,
                         Callback callback)
    : loop_(loop),
      endpoint_(endpoint),
      options_(options),
      tls_(std::move(tls)),
      address_(address),
      tried_(std::move(tried)),
      callback_(std::move(callback)) {}

Status DialAttempt::start() {
  auto made = make_socket(address_.family(), options_, tried_);
  if (!made) return std::move(made).status();
  UniqueSocket socket(*made);
  int error = ::connect(socket.get(), address_.data(), address_.size()) == 0 ? 0 : errno;
  if (error == EINTR) error = EINPROGRESS;
  if (error != 0 && error != EINPROGRESS) return system_status(tried_, error);
  auto watcher = SocketWatcher::make(loop_, socket);
  if (!watcher) return std::move(watcher).status();
  watcher_ = std::move(*watcher);
  watcher_->set_observer(this);
  // It waits even if a unix socket is connected already, since the callback must not be called inside start().
  watcher_->wait_writable();
  return {};
}

void DialAttempt::on_writable() {
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(watcher_->socket(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  // The system may assign the port that is dialled to this very socket, which is then connected to itself.
  if (error == 0 && is_connected_to_itself()) error = ECONNREFUSED;
  if (error != 0) return finish(system_status(tried_, error));
  connected();
}

bool DialAttempt::is_connected_to_itself() const {
  const SocketAddress local = SocketAddress::local_of(watcher_->socket());
  return local.family() != AF_UNIX && local == SocketAddress::peer_of(watcher_->socket());
}

void DialAttempt::connected() {
  const int socket = watcher_->socket();
  if (Status status = set_connected_options(socket, address_.family(), options_, tried_); !status.is_ok()) {
    return finish(std::move(status));
  }
  PeerInfo peer = peer_info_of(socket, endpoint_.scheme());
  watcher_->set_observer(nullptr);
  if (endpoint_.scheme() != Scheme::tls) {
    return finish(std::unique_ptr<Transport>(std::make_unique<SocketTransport>(std::move(watcher_), std::move(peer))));
  }
  HandshakeOptions handshake;
  handshake.context = tls_;
  handshake.server_name = endpoint_.host();
  handshake.tried = tried_;
  handshake_ = start_handshake(std::move(watcher_), std::move(peer), handshake,
                               [this](Result<std::unique_ptr<Transport>> result) { finish(std::move(result)); });
}

void DialAttempt::finish(Result<std::unique_ptr<Transport>> result) {
  // These are kept until the end: the callback may destroy this object, and the handshake itself may have called it.
  const Callback callback = std::move(callback_);
  const std::unique_ptr<TlsHandshake> handshake = std::move(handshake_);
  watcher_.reset();
  callback(*this, std::move(result));
}

}  // namespace trunkline::net
