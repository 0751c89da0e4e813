// SPDX-License-Identifier: MIT
// AvoidedServers: the servers on which attempts of a call have failed, or are under way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace trunkline::balance {

class ServerLoad;

/// Holds the last few of these servers: a further one replaces the oldest. They are compared and never looked at, as
/// they may have gone.
class AvoidedServers {
 public:
  /// The most servers. A call has five attempts at most.
  static constexpr std::size_t most_servers = 4;

  AvoidedServers() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  AvoidedServers(const ServerLoad* server) noexcept { add(server); }

  bool empty() const noexcept { return count_ == 0; }
  bool contains(const ServerLoad* server) const noexcept {
    return std::find(servers_.begin(), servers_.begin() + count_, server) != servers_.begin() + count_;
  }
  /// Adds a server. Null adds none.
  void add(const ServerLoad* server) noexcept {
    if (server == nullptr) return;
    remove_if([server](const ServerLoad* other) { return other == server; });
    if (count_ == most_servers) drop_oldest(1);
    servers_[count_++] = server;
  }
  /// Returns the `most` that were added last, so that of `most` + 1 servers at least one is not avoided.
  AvoidedServers last(std::size_t most) const noexcept {
    AvoidedServers kept = *this;
    if (kept.count_ > most) kept.drop_oldest(kept.count_ - most);
    return kept;
  }
  /// Returns those that are among `servers`.
  AvoidedServers among(std::span<ServerLoad* const> servers) const noexcept {
    AvoidedServers kept = *this;
    kept.remove_if([servers](const ServerLoad* server) {
      return std::find(servers.begin(), servers.end(), server) == servers.end();
    });
    return kept;
  }

 private:
  template <class Predicate>
  void remove_if(Predicate is_unwanted) noexcept {
    count_ = static_cast<std::size_t>(std::remove_if(servers_.begin(), servers_.begin() + count_, is_unwanted) -
                                      servers_.begin());
  }
  void drop_oldest(std::size_t dropped) noexcept {
    std::copy(servers_.begin() + dropped, servers_.begin() + count_, servers_.begin());
    count_ -= dropped;
  }

  /// The servers in the order in which they were added.
  std::array<const ServerLoad*, most_servers> servers_{};
  std::size_t count_ = 0;
};

}  // namespace trunkline::balance
