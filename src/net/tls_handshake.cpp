// SPDX-License-Identifier: MIT
// TlsHandshake: shakes hands on a loop, until a deadline.
#include "net/tls_handshake.h"

#include "net/lingering_close.h"
#include "net/loop.h"
#include "net/socket_transport.h"
#include "net/tls_stream.h"
#include "net/tls_transport.h"

#include <new>

namespace trunkline::net {

namespace {

/// A fatal alert of the kind protocol_version (RFC 8446, section 6).
constexpr std::string_view no_tls_alert("\x15\x03\x03\x00\x02\x02\x46", 7);

class SocketHandshake final : public TlsHandshake, private TransportObserver {
 public:
  SocketHandshake(SocketWatcher::Pointer socket, PeerInfo peer, const HandshakeOptions& options,
                  HandshakeCallback callback)
      : watcher_(std::move(socket)),
        context_(options.context),
        peer_(std::move(peer)),
        tried_(options.tried),
        permit_(options.permit),
        callback_(std::move(callback)),
        timeout_([](base::Timer&, void* self, base::TimePoint) { static_cast<SocketHandshake*>(self)->timed_out(); },
                 this),
        place_(options.pending, *this) {
    watcher_->set_observer(this);
    if (context_->role() == TlsRole::server) {
      // A session of OpenSSL takes 46 KiB: a client that is silent gets none.
      watcher_->wait_readable();
    } else {
      make_stream(options.server_name);
      watcher_->wait_writable();
    }
    watcher_->loop().timers().schedule(timeout_, options.deadline);
  }

 private:
  void make_stream(const std::string& server_name) {
    stream_ = std::make_unique<TlsStream>(std::move(context_), watcher_->socket(), server_name);
  }

  void on_readable() override {
    try {
      if (stream_ == nullptr) make_stream({});
    } catch (const std::bad_alloc&) {
      return fail({StatusCode::resource_exhausted, "no memory for a session"});
    }
    advance();
  }
  void on_writable() override { advance(); }

  void advance() {
    if (is_handshake_done_) return deliver();
    const TlsStream::Step step = stream_->shake_hands();
    const bool sent = stream_->flush();
    if (step == TlsStream::Step::failed) return fail(stream_->read_error());
    if (!sent) return fail(stream_->write_error());
    if (stream_->has_unsent()) watcher_->wait_writable();
    if (step == TlsStream::Step::wants_read) return watcher_->wait_readable();
    is_handshake_done_ = true;
    if (!stream_->has_unsent()) deliver();
  }

  void deliver() {
    if (!stream_->flush()) return fail(stream_->write_error());
    if (stream_->has_unsent()) return watcher_->wait_writable();
    stream_->describe(peer_);
    watcher_->set_observer(nullptr);
    finish(std::unique_ptr<Transport>(
        std::make_unique<TlsTransport>(std::move(watcher_), std::move(stream_), std::move(peer_))));
  }

  /// Fails. If there is a permit, the peer is given time to read the alert. OpenSSL sends none to a client that does
  /// not speak TLS, so that the client would learn nothing.
  void fail(const Status& reason) {
    watcher_->set_observer(nullptr);
    if (permit_) {
      const std::string_view alert = stream_->has_responded() ? std::string_view() : no_tls_alert;
      LingeringClose::begin(std::make_unique<SocketTransport>(std::move(watcher_), std::move(peer_)), alert,
                            *std::move(permit_));
    } else {
      watcher_->close();
    }
    finish(
        Status(StatusCode::unavailable, tried_ + ": tls: " + std::string(reason.message()), StatusOrigin::transport));
  }

  void timed_out() {
    watcher_->close();
    finish(Status(StatusCode::unavailable, tried_ + ": tls: handshake not done within its timeout",
                  StatusOrigin::transport));
  }

  /// Ends the handshake. The callback may destroy this object.
  void finish(Result<std::unique_ptr<Transport>> result) {
    timeout_.cancel();
    place_.leave();
    const HandshakeCallback callback = std::move(callback_);
    callback(std::move(result));
  }

  SocketWatcher::Pointer watcher_;
  /// The context; null once there is a stream.
  std::shared_ptr<const TlsContext> context_;
  /// The stream. On a server it is null until the client has sent something.
  std::unique_ptr<TlsStream> stream_;
  PeerInfo peer_;
  const std::string tried_;
  std::optional<ConnectionPermit> permit_;
  HandshakeCallback callback_;
  base::Timer timeout_;
  PendingConnections::Place place_;
  bool is_handshake_done_ = false;
};

}  // namespace

std::unique_ptr<TlsHandshake> start_handshake(SocketWatcher::Pointer socket, PeerInfo peer,
                                              const HandshakeOptions& options, HandshakeCallback callback) {
  return std::make_unique<SocketHandshake>(std::move(socket), std::move(peer), options, std::move(callback));
}

}  // namespace trunkline::net
