// SPDX-License-Identifier: MIT
// ConnectionLimit: how many connections a server may have, and how many each of its loops has.
#pragma once

#include "net/listener.h"

#include <atomic>
#include <cstddef>
#include <memory>

namespace trunkline::server {

/// Connections of one loop that hold a permit. Shared with the permits, which may outlive the loop.
using LoopLoad = std::shared_ptr<std::atomic<std::size_t>>;

/// Thread-safe. The permits may outlive this.
class ConnectionLimit {
 public:
  explicit ConnectionLimit(std::size_t max_connections) noexcept : max_(max_connections) {}
  ConnectionLimit(const ConnectionLimit&) = delete;
  ConnectionLimit& operator=(const ConnectionLimit&) = delete;

  /// For one more connection, which also counts in `load`. No permit if the limit has been reached.
  net::ConnectionPermit acquire(const LoopLoad& load);
  std::size_t max() const noexcept { return max_; }

 private:
  class CountedPermit;

  const std::size_t max_;
  /// From the accept to the end, handshake included.
  const std::shared_ptr<std::atomic<std::size_t>> connections_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace trunkline::server
