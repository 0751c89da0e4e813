// SPDX-License-Identifier: MIT
// ServiceConfig: what the owner of a service asks of its clients, in gRPC's format. MethodConfig: its part for methods.
#pragma once

#include <trunkline/balancing.h>
#include <trunkline/hedging_options.h>
#include <trunkline/result.h>
#include <trunkline/retry_options.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

/// The rules of a service config for the calls of some methods.
struct MethodConfig {
  /// The methods: "package.Service/Method", "package.Service/" for all methods of a service, or "" for all methods.
  std::vector<std::string> names{};
  /// True if calls wait for a connection even though they do not ask for it themselves.
  std::optional<bool> wait_for_ready{};
  /// A call ends by the earliest of this, its own timeout, and its deadline.
  std::optional<std::chrono::nanoseconds> timeout{};
  /// Requests and responses that are longer before compression end the call with resource_exhausted.
  std::optional<std::uint32_t> max_request_bytes{};
  std::optional<std::uint32_t> max_response_bytes{};
  /// The way in which failed calls are retried. Not set if `hedging` is.
  std::optional<RetryOptions> retry{};
  /// The way in which slow calls are hedged. Not set if `retry` is.
  std::optional<HedgingOptions> hedging{};

  bool operator==(const MethodConfig&) const = default;
};

/// The tokens by which a channel limits retries. While more than half of them are gone, it neither retries nor hedges.
struct RetryThrottling {
  /// The most tokens; more than 0, at most 1000. A call that fails with a code for which it might be retried costs one.
  int max_tokens = 0;
  /// The part of a token that a successful call earns; at least 0.001.
  double token_ratio = 0;

  bool operator==(const RetryThrottling&) const = default;
};

/// gRPC's service config: https://github.com/grpc/grpc-proto/blob/master/grpc/service_config/service_config.proto.
struct TRUNKLINE_API ServiceConfig {
  /// Reads gRPC's JSON. Members that are not known are ignored, as they are for gRPC's clients. A hedgingPolicy has two
  /// members of our own: `percentile` in the place of `hedgingDelay`, and `maxExtra`; see HedgingOptions. Error:
  /// invalid_argument, with the path of the member that is wrong.
  static Result<ServiceConfig> parse(std::string_view json);
  /// Returns the entry of the method's name, or else of its service, or else of all methods. Null: there is none.
  const MethodConfig* find(std::string_view method) const noexcept;

  std::vector<MethodConfig> methods{};
  /// The first policy of loadBalancingConfig that is known; see docs/guide/retries.md for the names.
  std::optional<BalancingPolicy> balancing_policy{};
  std::optional<RetryThrottling> retry_throttling{};
  /// The service whose health is watched, if health is watched; unset: the health of the whole server is.
  std::optional<std::string> health_service{};

  bool operator==(const ServiceConfig&) const = default;
};

}  // namespace trunkline
