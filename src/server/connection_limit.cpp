// SPDX-License-Identifier: MIT
// Counted connection permits.
#include "server/connection_limit.h"

#include <utility>

namespace trunkline::server {

/// Counts for the server and for the loop as long as it lives.
class ConnectionLimit::CountedPermit {
 public:
  /// The connection is in the server's count already.
  CountedPermit(std::shared_ptr<std::atomic<std::size_t>> server, LoopLoad loop)
      : server_(std::move(server)), loop_(std::move(loop)) {
    loop_->fetch_add(1, std::memory_order_relaxed);
  }
  ~CountedPermit() {
    loop_->fetch_sub(1, std::memory_order_relaxed);
    server_->fetch_sub(1, std::memory_order_relaxed);
  }
  CountedPermit(const CountedPermit&) = delete;
  CountedPermit& operator=(const CountedPermit&) = delete;

 private:
  const std::shared_ptr<std::atomic<std::size_t>> server_;
  const LoopLoad loop_;
};

net::ConnectionPermit ConnectionLimit::acquire(const LoopLoad& load) {
  if (connections_->fetch_add(1, std::memory_order_relaxed) < max_) {
    return net::ConnectionPermit(std::make_shared<const CountedPermit>(connections_, load));
  }
  connections_->fetch_sub(1, std::memory_order_relaxed);
  return {};
}

}  // namespace trunkline::server
