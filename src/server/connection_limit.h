// SPDX-License-Identifier: MIT
// ConnectionLimit: limits how many connections a server and a peer address have, and counts those of each loop.
#pragma once

#include "net/listener.h"
#include "server/peer_limits.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

namespace trunkline::server {

/// The number of connections of one loop that hold a permit. It is shared with the permits, which may outlive the loop.
using LoopLoad = std::shared_ptr<std::atomic<std::size_t>>;

/// Grants permits for connections. It is thread-safe, and the permits may outlive it.
class ConnectionLimit {
 public:
  ConnectionLimit(std::size_t max_connections, std::size_t max_per_peer) noexcept
      : max_(max_connections), max_per_peer_(max_per_peer) {}
  ConnectionLimit(const ConnectionLimit&) = delete;
  ConnectionLimit& operator=(const ConnectionLimit&) = delete;

  /// Returns a permit for one more connection, which also counts in `load`, and in `peer` unless that is null. The
  /// permit is empty if a limit has been reached.
  net::ConnectionPermit acquire(const LoopLoad& load, std::shared_ptr<PeerShare> peer);
  /// Returns the peer for which acquire() has granted `permit`; null if there is none.
  static std::shared_ptr<PeerShare> peer_of(const net::ConnectionPermit& permit);
  /// Says which limit a connection from `peer` has reached just now.
  std::string refusal(const PeerShare* peer) const;

 private:
  class CountedPermit;

  const std::size_t max_;
  const std::size_t max_per_peer_;
  /// The number of connections, each from the accept to its end, handshake included.
  const std::shared_ptr<std::atomic<std::size_t>> connections_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace trunkline::server
