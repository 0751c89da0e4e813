// SPDX-License-Identifier: MIT
// TlsTransport: a TLS session over a socket on a loop.
#pragma once

#include "base/timer_wheel.h"
#include "net/readiness.h"
#include "net/tls_stream.h"

#include <memory>

namespace trunkline::net {

class TlsTransport final : public Transport, private TransportObserver {
 public:
  /// The handshake is done; `peer` says so.
  TlsTransport(Readiness::Pointer readiness, std::unique_ptr<TlsStream> stream, PeerInfo peer);
  ~TlsTransport() override { close(); }

  void set_observer(TransportObserver* observer) noexcept override { observer_ = observer; }
  IoResult read(std::span<const MutableByteSpan> into) override;
  IoResult write(std::span<const ByteSpan> from) override;
  void wait_readable() override;
  void wait_writable() override;
  void shutdown_send() override;
  void close() override;
  const PeerInfo& peer() const noexcept override { return peer_; }
  Loop& loop() const noexcept override { return readiness_->loop(); }

 private:
  void on_readable() override;
  void on_writable() override;
  void flush();
  void note_use();
  static void on_pause(base::Timer& timer, void* self, base::TimePoint now);
  IoResult with_address(std::string_view tried, IoResult result) const;

  Readiness::Pointer readiness_;
  std::unique_ptr<TlsStream> stream_;
  PeerInfo peer_;
  TransportObserver* observer_ = nullptr;
  Deferred buffered_;
  base::Timer pause_;
  bool is_used_ = true;  ///< since the timer was set
  bool wants_read_ = false;
  bool wants_write_ = false;
  bool is_ending_ = false;  ///< the socket's sending side is shut once everything is flushed
};

}  // namespace trunkline::net
