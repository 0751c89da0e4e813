// SPDX-License-Identifier: MIT
// check_options(): the ranges of ChannelOptions.
#include "client/options_check.h"

#include "call/option_checker.h"

#include <trunkline/service_config.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::client {

namespace {

constexpr call::OptionChecker checker("channel options");

void check_backoff(const BackoffOptions& backoff) {
  checker.check_duration("backoff.initial", backoff.initial, std::chrono::milliseconds(1));
  checker.check_duration("backoff.maximum", backoff.maximum, backoff.initial);
  // The condition is written so that a NaN is refused.
  if (!(backoff.multiplier >= 1 && backoff.multiplier <= 100)) {
    checker.refuse("backoff.multiplier " + std::to_string(backoff.multiplier) + " is not 1 to 100");
  }
  if (!(backoff.jitter >= 0 && backoff.jitter <= 1)) {
    checker.refuse("backoff.jitter " + std::to_string(backoff.jitter) + " is not 0 to 1");
  }
}

/// Checks a share. The condition is written so that a NaN is refused.
void check_share(std::string_view option, double value) {
  if (!(value >= 0 && value <= 1)) {
    checker.refuse(std::string(option) + " " + std::to_string(value) + " is not 0 to 1");
  }
}

void check_outliers(const OutlierOptions& outliers) {
  using std::chrono::milliseconds;
  checker.check_duration("balancing.outliers.interval", outliers.interval, milliseconds(1));
  checker.check_range("balancing.outliers.min_calls", outliers.min_calls, 1, UINT32_MAX);
  check_share("balancing.outliers.failure_rate", outliers.failure_rate);
  if (!(outliers.latency_factor >= 0 && outliers.latency_factor <= 1000)) {
    checker.refuse("balancing.outliers.latency_factor " + std::to_string(outliers.latency_factor) +
                   " is not 0 to 1000");
  }
  checker.check_duration("balancing.outliers.min_latency", outliers.min_latency, milliseconds(0));
  checker.check_duration("balancing.outliers.ejection_time", outliers.ejection_time, milliseconds(1));
  checker.check_duration("balancing.outliers.max_ejection_time", outliers.max_ejection_time, outliers.ejection_time);
  check_share("balancing.outliers.max_ejected", outliers.max_ejected);
  check_share("balancing.outliers.panic_threshold", outliers.panic_threshold);
}

void check_breaker(const BreakerOptions& breaker) {
  using std::chrono::milliseconds;
  check_share("circuit_breaker.failure_rate", breaker.failure_rate);
  checker.check_duration("circuit_breaker.window", breaker.window, milliseconds(1));
  checker.check_range("circuit_breaker.min_calls", breaker.min_calls, 1, UINT32_MAX);
  checker.check_duration("circuit_breaker.open_time", breaker.open_time, milliseconds(1));
  checker.check_range("circuit_breaker.probes", breaker.probes, 1, UINT32_MAX);
}

void check_balancing(const BalancingOptions& balancing) {
  checker.check_duration("balancing.slow_start", balancing.slow_start, std::chrono::milliseconds(0));
  if (!(balancing.hash_load_factor > 1 && balancing.hash_load_factor <= 100)) {
    checker.refuse("balancing.hash_load_factor " + std::to_string(balancing.hash_load_factor) +
                   " is not more than 1 and at most 100");
  }
  check_outliers(balancing.outliers);
}

void check_hedging(const HedgingOptions& hedging) {
  checker.check_range("hedging.max_attempts", hedging.max_attempts, 2, RetryOptions::most_attempts);
  if (hedging.delay) checker.check_duration("hedging.delay", *hedging.delay, std::chrono::nanoseconds(0));
  if (!(hedging.percentile > 0 && hedging.percentile < 1)) {
    checker.refuse("hedging.percentile " + std::to_string(hedging.percentile) + " is not more than 0 and less than 1");
  }
  if (!(hedging.max_extra > 0 && hedging.max_extra <= RetryOptions::most_attempts - 1)) {
    checker.refuse("hedging.max_extra " + std::to_string(hedging.max_extra) + " is not more than 0 and at most 4");
  }
}

void check_service_config(const std::string& json) {
  if (json.empty()) return;
  const Result<ServiceConfig> config = ServiceConfig::parse(json);
  if (!config) checker.refuse("service_config: " + std::string(config.status().message()));
}

bool is_user_agent(std::string_view text) noexcept {
  constexpr std::size_t longest = 1024;
  return text.size() <= longest && !text.starts_with(' ') && !text.ends_with(' ') &&
         std::ranges::all_of(text, [](char letter) { return letter >= 0x20 && letter < 0x7F; });
}

}  // namespace

bool is_authority(std::string_view text) noexcept {
  constexpr std::size_t longest = 1024;
  return text.size() <= longest && std::ranges::all_of(text, [](char letter) {
           return letter > 0x20 && letter < 0x7F && letter != '@' && letter != '/';
         });
}

void check_options(const ChannelOptions& options) {
  checker.check_limits(options.limits);
  check_backoff(options.backoff);
  checker.check_duration("loop.busy_poll", options.loop.busy_poll, std::chrono::microseconds(0));
  if (options.default_timeout) {
    checker.check_duration("default_timeout", *options.default_timeout, std::chrono::nanoseconds(1));
  }
  checker.check_duration("connect_timeout", options.connect_timeout, std::chrono::milliseconds(1));
  checker.check_range("max_memory_bytes", options.max_memory_bytes, 1 << 20, SIZE_MAX);
  checker.check_duration("idle_timeout", options.idle_timeout, std::chrono::milliseconds(0));
  checker.check_range("max_connections", options.max_connections, 1, 1024);
  checker.check_range("max_http1_connections", options.max_http1_connections, 1, 1024);
  checker.check_range("max_retries", options.max_retries, 0, 100);
  if (options.ordered && options.max_connections != 1) {
    checker.refuse("ordered needs max_connections 1, it is " + std::to_string(options.max_connections));
  }
  if (!is_authority(options.authority)) {
    checker.refuse("authority is not up to 1024 printable characters without '@' and '/'");
  }
  if (!is_user_agent(options.user_agent)) {
    checker.refuse("user_agent is not up to 1024 printable ASCII characters without spaces at the ends");
  }
  check_balancing(options.balancing);
  check_breaker(options.circuit_breaker);
  check_service_config(options.service_config);
  if (options.hedging) check_hedging(*options.hedging);
  checker.check_codecs(options.codecs);
  checker.check_compressor(options.compressor, options.compressors);
  checker.check_interceptors(options.interceptors);
}

void check_options(const ChannelOptions& options, const Endpoint& endpoint) {
  if (!options.ordered) return;
  const std::string_view protocol = endpoint.protocol() == WireProtocol::grpc       ? "gRPC"
                                    : endpoint.protocol() == WireProtocol::grpc_web ? "gRPC-Web"
                                    : endpoint.protocol() == WireProtocol::connect  ? "Connect"
                                                                                    : "";
  if (protocol.empty()) return;
  checker.refuse("ordered cannot be kept over " + std::string(protocol) + ", which " + endpoint.to_string() +
                 " asks for");
}

void check_options(const ChannelOptions& options, const Target& target) {
  if (!options.ordered) return;
  checker.refuse("ordered cannot be kept by several servers, which " + target.text + " stands for");
}

}  // namespace trunkline::client
