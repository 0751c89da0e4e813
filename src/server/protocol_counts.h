// SPDX-License-Identifier: MIT
// ProtocolCounts: counts the connections of one loop that speak each protocol.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace trunkline::server {

/// A set of thread-safe counts. They change once when a connection is open and once when it is closed.
class ProtocolCounts {
 public:
  void add(std::string_view protocol) {
    std::lock_guard lock(mutex_);
    const auto found = counts_.find(protocol);
    if (found != counts_.end()) {
      ++found->second;
    } else {
      counts_.emplace(protocol, 1);
    }
  }
  /// Counts that a connection that was added is closed.
  void remove(std::string_view protocol) {
    std::lock_guard lock(mutex_);
    const auto found = counts_.find(protocol);
    if (found != counts_.end() && found->second > 0) --found->second;
  }
  /// Adds the counts to `sum`. Protocols that no connection speaks any more have 0.
  void add_to(std::map<std::string, std::uint64_t>& sum) const {
    std::lock_guard lock(mutex_);
    for (const auto& [protocol, count] : counts_) sum[protocol] += count;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

}  // namespace trunkline::server
