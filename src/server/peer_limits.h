// SPDX-License-Identifier: MIT
// PeerLimits: how many connections and calls each peer address has.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace trunkline::server {

/// What one peer address has. Shared by its connections. Any thread.
struct PeerShare {
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> calls{0};
};

/// The address of a peer is its host without the port; an IPv6 address counts by its network of 64 bits. Peers over
/// unix:// and inproc:// are on the same machine and not told apart, so they have no share. Thread-safe.
class PeerLimits {
 public:
  /// `address` as net::PeerInfo has it. Null: the peer is not limited.
  std::shared_ptr<PeerShare> share_of(std::string_view address);
  /// The part of `address` that peers are told apart by; empty: not at all.
  static std::string key_of(std::string_view address);

 private:
  using Table = std::unordered_map<std::string, std::weak_ptr<PeerShare>>;

  void sweep();

  std::mutex mutex_;
  Table shares_;
  /// Entries without a share are removed when the table has grown to this size.
  std::size_t sweep_at_ = 64;
};

}  // namespace trunkline::server
