// SPDX-License-Identifier: MIT
// The ranges of ServerOptions.
#include "server/server_options_check.h"

#include "call/option_checker.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::server {

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
