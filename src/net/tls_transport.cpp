// SPDX-License-Identifier: MIT
// What TLS waits for, in terms of the socket.
#include "net/tls_transport.h"

#include <sys/socket.h>

namespace trunkline::net {

namespace {
/// A session without traffic for that long gives its buffers back. Doing so after each record would take and give
/// 40 KiB with every call.
constexpr base::Duration pause = std::chrono::seconds(1);
}  // namespace

TlsTransport::TlsTransport(Readiness::Pointer readiness, std::unique_ptr<TlsStream> stream, PeerInfo peer)
    : readiness_(std::move(readiness)),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      buffered_([](void* self) { static_cast<TlsTransport*>(self)->on_readable(); }, this),
      pause_(&TlsTransport::on_pause, this) {
  readiness_->set_observer(this);
  note_use();
}

IoResult TlsTransport::read(std::span<const MutableByteSpan> into) {
  note_use();
  IoResult result = stream_->read(into);
  // Reading may have made OpenSSL answer, with new keys or an alert.
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
  if (!readiness_->is_open()) return;
  wants_read_ = true;
  if (stream_->has_buffered() || !stream_->read_error().is_ok()) {
    loop().defer(buffered_);
  } else {
    readiness_->wait_readable();
  }
}

void TlsTransport::wait_writable() {
  wants_write_ = true;
  readiness_->wait_writable();
}

void TlsTransport::shutdown_send() {
  if (std::exchange(is_ending_, true) || !readiness_->is_open()) return;
  stream_->send_close_notify();
  flush();
}

void TlsTransport::close() {
  if (!readiness_->is_open()) return;
  if (!std::exchange(is_ending_, true) && stream_->is_of_this_process()) {
    stream_->send_close_notify();
    stream_->flush();
  }
  observer_ = nullptr;
  buffered_.cancel();
  pause_.cancel();
  readiness_->close();
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
  if (!pause_.is_scheduled() && readiness_->is_open()) loop().timers().schedule(pause_, loop().now() + pause);
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
  if (!readiness_->is_open()) return;
  stream_->flush();
  if (stream_->has_unsent()) {
    readiness_->wait_writable();
  } else if (is_ending_) {
    ::shutdown(readiness_->socket(), SHUT_WR);
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
