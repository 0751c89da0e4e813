// SPDX-License-Identifier: MIT
// AnnounceOptions: what a server tells its clients about itself where it is announced.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace trunkline {

/// The settings of one announcement. See ResolvedServer for what clients do with weight, zone, priority and host_name.
struct AnnounceOptions {
  /// The URIs at which clients reach the server. Each one counts as a server of its own. If the list is empty, the
  /// server announces the tcp:// and tls:// endpoints on which it listens; they must name an address then.
  std::vector<std::string> advertise{};
  /// The server's share of the calls relative to the others; more than 0, at most 1e6.
  double weight = 1;
  std::string zone{};
  std::uint32_t priority = 0;
  std::string host_name{};
  /// The time for which the announcement outlives a server that has died or lost etcd; 2 s to 1 hour. It is renewed
  /// three times in this time.
  std::chrono::seconds time_to_live{10};
  /// The time for which a server that shuts down goes on taking calls after it was withdrawn, so that its clients
  /// notice; up to 1 hour, and no longer than the timeout of the shutdown.
  std::chrono::milliseconds drain_delay{500};
};

}  // namespace trunkline
