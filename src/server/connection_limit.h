// SPDX-License-Identifier: MIT
// ConnectionLimit: how many connections a server and a peer address may have, and how many each loop has.
#pragma once

#include "net/listener.h"
#include "server/peer_limits.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

namespace trunkline::server {

/// Connections of one loop that hold a permit. Shared with the permits, which may outlive the loop.
using LoopLoad = std::shared_ptr<std::atomic<std::size_t>>;

/// Thread-safe. The permits may outlive this.
class ConnectionLimit {
 public:
  ConnectionLimit(std::size_t max_connections, std::size_t max_per_peer) noexcept
      : max_(max_connections), max_per_peer_(max_per_peer) {}
  ConnectionLimit(const ConnectionLimit&) = delete;
  ConnectionLimit& operator=(const ConnectionLimit&) = delete;

  /// For one more connection, which also counts in `load`, and in `peer` unless that is null. No permit if a limit has
  /// been reached.
  net::ConnectionPermit acquire(const LoopLoad& load, std::shared_ptr<PeerShare> peer);
  /// The peer for which acquire() has granted `permit`; null: none.
  static std::shared_ptr<PeerShare> peer_of(const net::ConnectionPermit& permit);
  /// Which limit a connection from `peer` has reached just now.
  std::string refusal(const PeerShare* peer) const;

 private:
  class CountedPermit;

  const std::size_t max_;
  const std::size_t max_per_peer_;
  /// From the accept to the end, handshake included.
  const std::shared_ptr<std::atomic<std::size_t>> connections_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace trunkline::server
