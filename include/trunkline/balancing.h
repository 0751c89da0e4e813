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

/// How the server of a call is chosen among those that are ready.
enum class BalancingPolicy : std::uint8_t {
  /// The better of two random servers, by open calls times a moving average of the latency (peak EWMA).
  two_choices,
  /// In turn, in proportion to the weights.
  round_robin,
  /// At random, in proportion to the weights.
  random,
  /// The one with the fewest open calls, relative to its weight.
  least_outstanding,
  /// The one with the least average latency, with a share of random choices so that others are measured too.
  least_time,
  /// By CallOptions::routing_key: calls of one key go to one server, unless that has too many (consistent hashing with
  /// bounded loads). Calls without a key: as two_choices.
  consistent_hash,
  /// The first server of the list that is ready, for as long as it is ready. The others are connected, and take over.
  pick_first,
};

/// The policy of that name, as it is spelled above; empty: there is none.
TRUNKLINE_API std::optional<BalancingPolicy> balancing_policy(std::string_view name) noexcept;
TRUNKLINE_API std::string_view to_string(BalancingPolicy policy) noexcept;
/// The names of all policies, separated by commas, for error texts and help.
TRUNKLINE_API std::string balancing_policies();

/// How a channel spreads its calls over several servers. Values out of range are refused when the channel is
/// constructed. Without effect for a channel to one endpoint.
struct BalancingOptions {
  BalancingPolicy policy = BalancingPolicy::two_choices;
  /// Where this client runs. Servers of the same zone are preferred; empty: none are.
  std::string zone{};
  /// Servers that this client uses at most, chosen so that many clients use all servers evenly; 0: all of them.
  std::size_t max_servers = 0;
  /// A server that is new or has recovered gets its full share of the calls only after this time; 0: at once.
  std::chrono::milliseconds slow_start{10000};
  OutlierOptions outliers{};
  /// A server that serves grpc.health.v1.Health gets calls only while its Watch says "serving". One that does not serve
  /// it, or refuses the channel the call, gets calls as soon as it is connected.
  bool health_check = true;
  /// The service whose health is watched; empty: the server as a whole.
  std::string health_service{};
  /// consistent_hash: a server takes at most this multiple of the mean number of open calls; more than 1, at most 100.
  double hash_load_factor = 1.25;
  /// Seed of random choices; 0: taken from the system.
  std::uint64_t seed = 0;
};

/// What a channel knows of one server. See Channel::servers().
struct ServerState {
  Endpoint endpoint{};
  std::string zone{};
  double weight = 1;
  std::uint32_t priority = 0;
  /// It is connected and gets calls.
  bool is_ready = false;
  /// It failed or was slow. It gets calls nevertheless while too few servers are left; see OutlierOptions.
  bool is_ejected = false;
  /// Why it gets none: the last error of connecting, "... not serving", "... ejected until ...".
  Status last_error{};
  /// The methods that it gets no calls of at present: see BreakerOptions.
  std::vector<std::string> open_breakers{};
  std::size_t open_calls = 0;
  std::uint64_t started_calls = 0;
  /// Calls that ended with an error that speaks against the server, such as unavailable or deadline_exceeded.
  std::uint64_t failed_calls = 0;
  /// The moving average of the latency of unary calls; 0: not measured.
  std::chrono::nanoseconds latency{};
};

}  // namespace trunkline
