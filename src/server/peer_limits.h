// SPDX-License-Identifier: MIT
// PeerLimits: counts the connections, the calls and the memory of each peer address.
#pragma once

#include "session/memory_account.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace trunkline::server {

/// The counts of one peer address, which its connections share. Any thread may use it.
struct PeerShare {
  std::atomic<std::size_t> connections{0};
  std::atomic<std::size_t> calls{0};
  /// The account of the address's memory. Null: the memory is not limited by address.
  std::shared_ptr<session::MemoryAccount> memory{};
};

/// The address of a peer is its host without the port; an IPv6 address counts by its network of 64 bits. Peers over
/// unix:// and inproc:// are on the same machine and not told apart, so they have no share but one account of memory.
/// Thread-safe.
class PeerLimits {
 public:
  /// Makes limits: an address may hold `memory_percent` of `budget`, which outlives them; 100: as much as there is.
  PeerLimits(const session::MemoryBudget& budget, std::size_t memory_percent)
      : budget_(budget), memory_percent_(memory_percent), local_memory_(make_account()) {}

  /// Returns the share of an `address` as net::PeerInfo has it. Null: the peer is not limited.
  std::shared_ptr<PeerShare> share_of(std::string_view address);
  /// Returns the account of the peer with that share, or of those without one. Null: nothing counts the memory.
  std::shared_ptr<session::MemoryAccount> account_of(const std::shared_ptr<PeerShare>& share) const;
  /// Returns the part of `address` by which peers are told apart; empty: they are not.
  static std::string key_of(std::string_view address);

 private:
  using Table = std::unordered_map<std::string, std::weak_ptr<PeerShare>>;

  std::shared_ptr<session::MemoryAccount> make_account() const;
  void sweep();

  const session::MemoryBudget& budget_;
  const std::size_t memory_percent_;
  const std::shared_ptr<session::MemoryAccount> local_memory_;
  std::mutex mutex_;
  Table shares_;
  /// Entries without a share are removed when the table has grown to this size.
  std::size_t sweep_at_ = 64;
};

}  // namespace trunkline::server
