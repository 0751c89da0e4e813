// SPDX-License-Identifier: MIT
// check_options(): the ranges of ServerOptions.
#include "server/server_options_check.h"

#include "call/job_queue.h"
#include "call/option_checker.h"
#include "net/address_networks.h"
#include "session/web/allowed_host.h"
#include "session/web/origin.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace trunkline::server {

namespace {

constexpr std::size_t most_adaptive_calls = 1'000'000;

void check_overload(const call::OptionChecker& checker, const OverloadOptions& options) {
  checker.check_range("overload.min_adaptive_limit", options.min_adaptive_limit, 1, most_adaptive_calls);
  checker.check_range("overload.max_adaptive_limit", options.max_adaptive_limit, 1, most_adaptive_calls);
  checker.check_duration("overload.adaptive_window", options.adaptive_window, std::chrono::milliseconds(1));
  checker.check_range("overload.adaptive_tolerance_percent", options.adaptive_tolerance_percent, 1, 1000);
  checker.check_duration("overload.queue_target", options.queue_target, std::chrono::milliseconds(0));
  checker.check_duration("overload.queue_interval", options.queue_interval, std::chrono::milliseconds(1));
  if (options.priority_metadata.empty()) return;
  const auto& priorities = options.priorities;
  checker.check_range("the number of overload.priorities", priorities.size(), 1, call::JobQueue::max_levels);
  const bool is_known = std::find(priorities.begin(), priorities.end(), options.default_priority) != priorities.end();
  checker.check_range("the number of overload.priorities that are overload.default_priority", is_known ? 1 : 0, 1, 1);
}

}  // namespace

void check_options(const ServerOptions& options) {
  const call::OptionChecker checker("server options");
  checker.check_limits(options.limits);
  checker.check_range("loops", options.loops, 1, 1024);
  checker.check_range("worker_threads", options.worker_threads, 0, 65536);
  checker.check_range("max_queued_blocking_calls", options.max_queued_blocking_calls, 0, SIZE_MAX / 2);
  checker.check_range("max_connections", options.max_connections, 1, SIZE_MAX);
  checker.check_range("max_concurrent_calls_per_connection", options.max_concurrent_calls_per_connection, 1, INT32_MAX);
  checker.check_range("max_connections_per_peer", options.max_connections_per_peer, 1, SIZE_MAX);
  checker.check_range("max_concurrent_calls_per_peer", options.max_concurrent_calls_per_peer, 1, SIZE_MAX);
  checker.check_range("max_memory_percent_per_peer", options.max_memory_percent_per_peer, 1, 100);
  checker.check_range("max_cancelled_calls_per_second", options.max_cancelled_calls_per_second, 0, INT32_MAX);
  checker.check_range("max_concurrent_calls", options.max_concurrent_calls, 1, SIZE_MAX);
  check_overload(checker, options.overload);
  if (const auto proxies = net::AddressNetworks::parse(options.trusted_proxies); !proxies) {
    throw std::invalid_argument("server options: trusted_proxies: " + std::string(proxies.status().message()));
  }
  for (const std::string& host : options.allowed_hosts) {
    if (session::web::is_host_pattern(host)) continue;
    throw std::invalid_argument("server options: allowed_hosts: \"" + host +
                                "\" is neither a name without its port nor *.NAME");
  }
  for (const std::string& origin : options.allowed_origins) {
    if (session::web::is_origin_pattern(origin)) continue;
    throw std::invalid_argument("server options: allowed_origins: \"" + origin +
                                "\" is neither SCHEME://HOST, SCHEME://HOST:PORT nor *");
  }
  for (const std::string& origin : options.cors_origins) {
    const bool has_capitals = std::any_of(origin.begin(), origin.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (session::web::is_origin_pattern(origin) && !has_capitals) continue;
    throw std::invalid_argument("server options: cors_origins: \"" + origin +
                                "\" is neither SCHEME://HOST, SCHEME://HOST:PORT nor *, in lower case");
  }
  checker.check_range("max_memory_bytes", options.max_memory_bytes, 1 << 20, SIZE_MAX);
  checker.check_range("max_turn_bytes", options.max_turn_bytes, 64 << 10, INT32_MAX);
  checker.check_duration("slow_handler_threshold", options.slow_handler_threshold, std::chrono::milliseconds(0));
  checker.check_duration("idle_timeout", options.idle_timeout, std::chrono::milliseconds(0));
  checker.check_duration("max_connection_age", options.max_connection_age, std::chrono::milliseconds(0));
  checker.check_duration("max_connection_age_grace", options.max_connection_age_grace, std::chrono::milliseconds(0));
  checker.check_duration("min_ping_interval", options.min_ping_interval, std::chrono::milliseconds(0));
  checker.check_duration("loop.busy_poll", options.loop.busy_poll, std::chrono::microseconds(0));
  checker.check_codecs(options.codecs);
  checker.check_compressor(options.compressor, options.compressors);
  checker.check_interceptors(options.interceptors);
}

}  // namespace trunkline::server
