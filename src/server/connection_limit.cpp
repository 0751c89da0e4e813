// SPDX-License-Identifier: MIT
// Counted connection permits.
#include "server/connection_limit.h"

#include <utility>

namespace trunkline::server {

/// Counts for the server, the loop and the peer as long as it lives.
class ConnectionLimit::CountedPermit {
 public:
  /// The connection is in the counts of the server and the peer already.
  CountedPermit(std::shared_ptr<std::atomic<std::size_t>> server, LoopLoad loop, std::shared_ptr<PeerShare> peer)
      : server_(std::move(server)), loop_(std::move(loop)), peer_(std::move(peer)) {
    loop_->fetch_add(1, std::memory_order_relaxed);
  }
  ~CountedPermit() {
    loop_->fetch_sub(1, std::memory_order_relaxed);
    if (peer_ != nullptr) peer_->connections.fetch_sub(1, std::memory_order_relaxed);
    server_->fetch_sub(1, std::memory_order_relaxed);
  }
  CountedPermit(const CountedPermit&) = delete;
  CountedPermit& operator=(const CountedPermit&) = delete;

 private:
  const std::shared_ptr<std::atomic<std::size_t>> server_;
  const LoopLoad loop_;
  const std::shared_ptr<PeerShare> peer_;
};

net::ConnectionPermit ConnectionLimit::acquire(const LoopLoad& load, std::shared_ptr<PeerShare> peer) {
  if (connections_->fetch_add(1, std::memory_order_relaxed) < max_) {
    if (peer == nullptr || peer->connections.fetch_add(1, std::memory_order_relaxed) < max_per_peer_) {
      return net::ConnectionPermit(std::make_shared<const CountedPermit>(connections_, load, std::move(peer)));
    }
    peer->connections.fetch_sub(1, std::memory_order_relaxed);
  }
  connections_->fetch_sub(1, std::memory_order_relaxed);
  return {};
}

std::string ConnectionLimit::refusal(const PeerShare* peer) const {
  if (peer != nullptr && peer->connections.load(std::memory_order_relaxed) >= max_per_peer_) {
    return "the peer address's connections have reached max_connections_per_peer " + std::to_string(max_per_peer_);
  }
  return "the server's connections have reached max_connections " + std::to_string(max_);
}

}  // namespace trunkline::server
