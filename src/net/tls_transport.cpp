// SPDX-License-Identifier: MIT
// TlsTransport: waits for the socket as the TLS session requires.
#include "net/tls_transport.h"

#include <sys/socket.h>

namespace trunkline::net {

namespace {
/// A session without traffic for this long frees its buffers. Freeing them after each record would allocate and free 40
/// KiB with every call.
constexpr base::Duration pause = std::chrono::seconds(1);
}  // namespace

TlsTransport::TlsTransport(SocketWatcher::Pointer watcher, std::unique_ptr<TlsStream> stream, PeerInfo peer)
    : watcher_(std::move(watcher)),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      buffered_([](void* self) { static_cast<TlsTransport*>(self)->on_readable(); }, this),
      pause_(&TlsTransport::on_pause, this) {
  watcher_->set_observer(this);
  note_use();
}

IoResult TlsTransport::read(std::span<const MutableByteSpan> into) {
  note_use();
  IoResult result = stream_->read(into);
  // Reading may have made OpenSSL send new keys or an alert.
  flush();
  return with_address("read from ", std::move(result));
}

IoResult TlsTransport::write(std::span<const ByteSpan> from) {
  note_use();
  IoResult result = stream_->write(from);
  flush();
  return with_address("write to ", std::move(result));
}

void TlsTransport::wait_readable() {
  if (!watcher_->is_open()) return;
  wants_read_ = true;
  if (stream_->has_buffered() || !stream_->read_error().is_ok()) {
    loop().defer(buffered_);
  } else {
    watcher_->wait_readable();
  }
}

void TlsTransport::wait_writable() {
  wants_write_ = true;
  watcher_->wait_writable();
}

void TlsTransport::shutdown_send() {
  if (std::exchange(is_ending_, true) || !watcher_->is_open()) return;
  stream_->send_close_notify();
  flush();
}

void TlsTransport::close() {
  if (!watcher_->is_open()) return;
  if (!std::exchange(is_ending_, true) && stream_->is_of_this_process()) {
    stream_->send_close_notify();
    stream_->flush();
  }
  observer_ = nullptr;
  buffered_.cancel();
  pause_.cancel();
  watcher_->close();
}

void TlsTransport::reset() {
  if (!watcher_->is_open()) return;
  is_ending_ = true;
  set_reset_on_close(watcher_->socket());
  close();
}

void TlsTransport::on_readable() {
  if (std::exchange(wants_read_, false) && observer_ != nullptr) observer_->on_readable();
}

void TlsTransport::on_writable() {
  flush();
  if (stream_->has_unsent() && !stream_->has_progress()) return;
  if (std::exchange(wants_write_, false) && observer_ != nullptr) observer_->on_writable();
}

void TlsTransport::note_use() {
  is_used_ = true;
  if (!pause_.is_scheduled() && watcher_->is_open()) loop().timers().schedule(pause_, loop().now() + pause);
}

void TlsTransport::on_pause(base::Timer& timer, void* self, base::TimePoint now) {
  TlsTransport& transport = *static_cast<TlsTransport*>(self);
  if (std::exchange(transport.is_used_, false)) {
    transport.loop().timers().schedule(timer, now + pause);
  } else {
    transport.stream_->release_buffers();
  }
}

void TlsTransport::flush() {
  if (!watcher_->is_open()) return;
  stream_->flush();
  if (stream_->has_unsent()) {
    watcher_->wait_writable();
  } else if (is_ending_) {
    ::shutdown(watcher_->socket(), SHUT_WR);
  }
}

IoResult TlsTransport::with_address(std::string_view tried, IoResult result) const {
  if (result.state == IoState::failed) {
    const std::string text = std::string(tried) + peer_.address + ": " + std::string(result.error.message());
    result.error = Status(StatusCode::unavailable, text, StatusOrigin::transport);
  }
  return result;
}

}  // namespace trunkline::net
