// SPDX-License-Identifier: MIT
// ConnectionLimit: the permits that count connections.
#include "server/connection_limit.h"

#include <utility>

namespace trunkline::server {

/// Counts for the server, the peer and the loop, from enter() on as long as it lives.
class ConnectionLimit::CountedPermit {
 public:
  CountedPermit(std::shared_ptr<std::atomic<std::size_t>> server, LoopLoad loop,
                std::shared_ptr<PeerShare> peer) noexcept
      : server_(std::move(server)), loop_(std::move(loop)), peer_(std::move(peer)) {}
  ~CountedPermit() {
    if (!is_counted_) return;
    loop_->fetch_sub(1, std::memory_order_relaxed);
    if (peer_ != nullptr) peer_->connections.fetch_sub(1, std::memory_order_relaxed);
    server_->fetch_sub(1, std::memory_order_relaxed);
  }
  CountedPermit(const CountedPermit&) = delete;
  CountedPermit& operator=(const CountedPermit&) = delete;

  /// Counts the connection. Returns false if a limit has been reached; then nothing is counted.
  bool enter(std::size_t max, std::size_t max_per_peer) noexcept {
    if (!enter(*server_, max)) return false;
    if (peer_ != nullptr && !enter(peer_->connections, max_per_peer)) {
      server_->fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    loop_->fetch_add(1, std::memory_order_relaxed);
    return is_counted_ = true;
  }
  const std::shared_ptr<PeerShare>& peer() const noexcept { return peer_; }

 private:
  static bool enter(std::atomic<std::size_t>& count, std::size_t limit) noexcept {
    if (count.fetch_add(1, std::memory_order_relaxed) < limit) return true;
    count.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

  const std::shared_ptr<std::atomic<std::size_t>> server_;
  const LoopLoad loop_;
  const std::shared_ptr<PeerShare> peer_;
  bool is_counted_ = false;
};

net::ConnectionPermit ConnectionLimit::acquire(const LoopLoad& load, std::shared_ptr<PeerShare> peer) {
  const auto permit = std::make_shared<CountedPermit>(connections_, load, std::move(peer));
  return permit->enter(max_, max_per_peer_) ? net::ConnectionPermit(permit) : net::ConnectionPermit();
}

std::shared_ptr<PeerShare> ConnectionLimit::peer_of(const net::ConnectionPermit& permit) {
  return permit ? static_cast<const CountedPermit*>(permit.counted())->peer() : nullptr;
}

std::string ConnectionLimit::refusal(const PeerShare* peer) const {
  if (peer != nullptr && peer->connections.load(std::memory_order_relaxed) >= max_per_peer_) {
    return "the peer address's connections have reached max_connections_per_peer " + std::to_string(max_per_peer_);
  }
  return "the server's connections have reached max_connections " + std::to_string(max_);
}

}  // namespace trunkline::server
