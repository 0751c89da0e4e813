// SPDX-License-Identifier: MIT
// SocketTransport: a connected tcp or unix socket, read and written directly.
#pragma once

#include "net/readiness.h"

namespace trunkline::net {

class SocketTransport final : public Transport {
 public:
  SocketTransport(Readiness::Pointer readiness, PeerInfo peer)
      : readiness_(std::move(readiness)), peer_(std::move(peer)) {}

  void set_observer(TransportObserver* observer) noexcept override { readiness_->set_observer(observer); }
  IoResult read(std::span<const MutableByteSpan> into) override;
  IoResult write(std::span<const ByteSpan> from) override;
  void wait_readable() override { readiness_->wait_readable(); }
  void wait_writable() override { readiness_->wait_writable(); }
  void shutdown_send() override;
  void close() override { readiness_->close(); }
  const PeerInfo& peer() const noexcept override { return peer_; }
  Loop& loop() const noexcept override { return readiness_->loop(); }

 private:
  IoResult failed(std::string_view tried, int error_number) const;

  Readiness::Pointer readiness_;
  PeerInfo peer_;
};

}  // namespace trunkline::net
