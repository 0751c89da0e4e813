// SPDX-License-Identifier: MIT
// The handshake on a loop, with its deadline.
#include "net/tls_handshake.h"

#include "net/parting.h"
#include "net/socket_transport.h"
#include "net/tls_stream.h"
#include "net/tls_transport.h"

namespace trunkline::net {

namespace {

class SocketHandshake final : public TlsHandshake, private TransportObserver {
 public:
  SocketHandshake(Readiness::Pointer socket, PeerInfo peer, const HandshakeOptions& options, HandshakeCallback callback)
      : readiness_(std::move(socket)),
        stream_(std::make_unique<TlsStream>(options.context, readiness_->socket(), options.server_name)),
        peer_(std::move(peer)),
        tried_(options.tried),
        place_(options.place),
        callback_(std::move(callback)),
        timeout_([](base::Timer&, void* self, base::TimePoint) { static_cast<SocketHandshake*>(self)->timed_out(); },
                 this) {
    readiness_->set_observer(this);
    readiness_->wait_writable();
    readiness_->loop().timers().schedule(timeout_, options.deadline);
  }

 private:
  void on_readable() override { go_on(); }
  void on_writable() override { go_on(); }

  void go_on() {
    if (is_shaken_) return deliver();
    const TlsStream::Step step = stream_->shake_hands();
    const bool sent = stream_->flush();
    if (step == TlsStream::Step::failed) return fail(stream_->read_error());
    if (!sent) return fail(stream_->write_error());
    if (stream_->has_unsent()) readiness_->wait_writable();
    if (step == TlsStream::Step::wants_read) return readiness_->wait_readable();
    is_shaken_ = true;
    if (!stream_->has_unsent()) deliver();
  }

  void deliver() {
    if (!stream_->flush()) return fail(stream_->write_error());
    if (stream_->has_unsent()) return readiness_->wait_writable();
    stream_->describe(peer_);
    readiness_->set_observer(nullptr);
    finish(std::unique_ptr<Transport>(
        std::make_unique<TlsTransport>(std::move(readiness_), std::move(stream_), std::move(peer_))));
  }

  /// The peer is given time to read the alert that says why.
  void fail(const Status& reason) {
    readiness_->set_observer(nullptr);
    if (place_) {
      Parting::begin(std::make_unique<SocketTransport>(std::move(readiness_), std::move(peer_)), {},
                     *std::move(place_));
    } else {
      readiness_->close();
    }
    finish(
        Status(StatusCode::unavailable, tried_ + ": tls: " + std::string(reason.message()), StatusOrigin::transport));
  }

  void timed_out() {
    readiness_->close();
    finish(Status(StatusCode::unavailable, tried_ + ": tls: handshake not done within its timeout",
                  StatusOrigin::transport));
  }

  /// The callback may destroy this.
  void finish(Result<std::unique_ptr<Transport>> result) {
    timeout_.cancel();
    const HandshakeCallback callback = std::move(callback_);
    callback(std::move(result));
  }

  Readiness::Pointer readiness_;
  std::unique_ptr<TlsStream> stream_;
  PeerInfo peer_;
  const std::string tried_;
  std::optional<Place> place_;
  HandshakeCallback callback_;
  base::Timer timeout_;
  bool is_shaken_ = false;
};

}  // namespace

std::unique_ptr<TlsHandshake> start_handshake(Readiness::Pointer socket, PeerInfo peer, const HandshakeOptions& options,
                                              HandshakeCallback callback) {
  return std::make_unique<SocketHandshake>(std::move(socket), std::move(peer), options, std::move(callback));
}

}  // namespace trunkline::net
