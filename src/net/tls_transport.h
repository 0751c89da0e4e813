// SPDX-License-Identifier: MIT
// TlsTransport: a TLS session on a socket as a transport.
#pragma once

#include "base/timer_wheel.h"
#include "net/socket_options.h"
#include "net/socket_watcher.h"
#include "net/tls_stream.h"

#include <memory>

namespace trunkline::net {

class TlsTransport final : public Transport, private TransportObserver {
 public:
  /// Makes the transport. The handshake of `stream` is done, and `peer` describes it.
  TlsTransport(SocketWatcher::Pointer watcher, std::unique_ptr<TlsStream> stream, PeerInfo peer);
  ~TlsTransport() override { close(); }

  void set_observer(TransportObserver* observer) noexcept override { observer_ = observer; }
  IoResult read(std::span<const MutableByteSpan> into) override;
  IoResult write(std::span<const ByteSpan> from) override;
  void wait_readable() override;
  void wait_writable() override;
  void shutdown_send() override;
  void close() override;
  void reset() override;
  bool is_delivered() const noexcept override { return is_output_acknowledged(watcher_->socket()); }
  void ask_silent_peer(std::chrono::milliseconds idle) override { set_keepalive(watcher_->socket(), idle); }
  bool is_peer_gone() noexcept override { return is_other_end_gone(watcher_->socket()); }
  bool has_input() const noexcept override { return is_readable(watcher_->socket()); }
  const PeerInfo& peer() const noexcept override { return peer_; }
  Loop& loop() const noexcept override { return watcher_->loop(); }

 private:
  void on_readable() override;
  void on_writable() override;
  void flush();
  void note_use();
  static void on_pause(base::Timer& timer, void* self, base::TimePoint now);
  IoResult with_address(std::string_view tried, IoResult result) const;

  SocketWatcher::Pointer watcher_;
  std::unique_ptr<TlsStream> stream_;
  PeerInfo peer_;
  TransportObserver* observer_ = nullptr;
  DeferredTask buffered_;
  base::Timer pause_;
  /// True if the transport was used since the timer was scheduled.
  bool is_used_ = true;
  bool wants_read_ = false;
  bool wants_write_ = false;
  /// True if sending is shut down on the socket once everything is flushed.
  bool is_ending_ = false;
};

}  // namespace trunkline::net
