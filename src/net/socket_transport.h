// SPDX-License-Identifier: MIT
// SocketTransport: a connected TCP or unix socket as a transport.
#pragma once

#include "net/socket_options.h"
#include "net/socket_watcher.h"

namespace trunkline::net {

class SocketTransport final : public Transport {
 public:
  SocketTransport(SocketWatcher::Pointer watcher, PeerInfo peer)
      : watcher_(std::move(watcher)), peer_(std::move(peer)) {}

  void set_observer(TransportObserver* observer) noexcept override { watcher_->set_observer(observer); }
  IoResult read(std::span<const MutableByteSpan> into) override;
  IoResult write(std::span<const ByteSpan> from) override;
  void wait_readable() override { watcher_->wait_readable(); }
  void wait_writable() override { watcher_->wait_writable(); }
  void shutdown_send() override;
  void close() override { watcher_->close(); }
  void reset() override;
  bool is_delivered() const noexcept override { return is_output_acknowledged(watcher_->socket()); }
  void ask_silent_peer(std::chrono::milliseconds idle) override { set_keepalive(watcher_->socket(), idle); }
  bool is_peer_gone() noexcept override { return is_other_end_gone(watcher_->socket()); }
  bool has_input() const noexcept override { return is_readable(watcher_->socket()); }
  const PeerInfo& peer() const noexcept override { return peer_; }
  Loop& loop() const noexcept override { return watcher_->loop(); }

 private:
  IoResult failed(std::string_view tried, int error_number) const;

  SocketWatcher::Pointer watcher_;
  PeerInfo peer_;
};

}  // namespace trunkline::net
