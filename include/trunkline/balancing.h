// SPDX-License-Identifier: MIT
// BalancingOptions: how a channel spreads its calls over several servers. ServerState: what it knows of one.
#pragma once

#include <trunkline/detail/export.h>
#include <trunkline/endpoint.h>
#include <trunkline/outlier_options.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

/// The way in which the server of a call is chosen among those that are ready.
enum class BalancingPolicy : std::uint8_t {
  /// Takes the better of two random servers, by open calls times a moving average of the latency (peak EWMA).
  two_choices,
  /// Takes the servers in turn, in proportion to their weights.
  round_robin,
  /// Takes a random server, in proportion to the weights.
  random,
  /// Takes the server with the fewest open calls, relative to its weight.
  least_outstanding,
  /// Takes the server with the least average latency, and a random one at times so that others are measured too.
  least_time,
  /// Sends calls of one CallOptions::routing_key to one server, unless that has too many open calls (consistent hashing
  /// with bounded loads). Calls without a key are spread as two_choices spreads them.
  consistent_hash,
  /// Takes the first ready server of the list while it is ready. The others are connected, and take over when it fails.
  pick_first,
};

/// Returns the policy of that name, spelled as the enumerators above; nullopt if there is none.
TRUNKLINE_API std::optional<BalancingPolicy> balancing_policy(std::string_view name) noexcept;
TRUNKLINE_API std::string_view to_string(BalancingPolicy policy) noexcept;
/// Returns the names of all policies, separated by commas, for error texts and help.
TRUNKLINE_API std::string balancing_policies();

/// The way in which a channel spreads its calls over several servers. Values out of range are refused when the channel
/// is constructed. A channel to one endpoint ignores these options.
struct BalancingOptions {
  BalancingPolicy policy = BalancingPolicy::two_choices;
  /// The zone in which this client runs. Servers of the same zone are preferred. If it is empty, no zone is preferred.
  std::string zone{};
  /// The most servers that this client uses, chosen so that many clients use all servers evenly; 0: all of them.
  std::size_t max_servers = 0;
  /// A server that is new or has recovered gets its full share of the calls only after this time; 0: at once.
  std::chrono::milliseconds slow_start{10000};
  OutlierOptions outliers{};
  /// A server that serves grpc.health.v1.Health gets calls only while its Watch says "serving". One that does not serve
  /// it, or refuses the channel the call, gets calls as soon as it is connected.
  bool health_check = true;
  /// The service whose health is watched. If it is empty, the health of the server as a whole is watched.
  std::string health_service{};
  /// consistent_hash gives a server at most this multiple of the mean number of open calls; more than 1, at most 100.
  double hash_load_factor = 1.25;
  /// The seed of random choices; 0: the system provides one.
  std::uint64_t seed = 0;
};

/// The state of one server, as a channel knows it at one moment. Channel::servers() returns these.
struct ServerState {
  Endpoint endpoint{};
  std::string zone{};
  double weight = 1;
  std::uint32_t priority = 0;
  /// True if the server is connected and gets calls.
  bool is_ready = false;
  /// True if the server failed or was slow. It gets calls nevertheless if too few servers are left (OutlierOptions).
  bool is_ejected = false;
  /// Says why the server gets no calls: the last error of connecting, "... not serving", or "... ejected until ...".
  Status last_error{};
  /// The methods of which the server gets no calls, because their circuit breakers are open: see BreakerOptions.
  std::vector<std::string> open_breakers{};
  std::size_t open_calls = 0;
  std::uint64_t started_calls = 0;
  /// Calls that ended with an error that speaks against the server, such as unavailable or deadline_exceeded.
  std::uint64_t failed_calls = 0;
  /// The moving average of the latency of unary calls; 0: not measured.
  std::chrono::nanoseconds latency{};
};

}  // namespace trunkline
