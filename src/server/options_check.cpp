// SPDX-License-Identifier: MIT
// The ranges of ServerOptions.
#include "server/environment.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace trunkline::server {

namespace {

constexpr std::uint64_t kib = 1 << 10;
constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t max_int32 = INT32_MAX;

void check_range(std::string_view option, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw std::invalid_argument("server options: " + std::string(option) + " " + std::to_string(value) + " is not " +
                              std::to_string(least) + " to " + std::to_string(most));
}

template <class Duration>
void check_duration(std::string_view option, Duration value, Duration least) {
  constexpr auto most = std::chrono::hours(24 * 365);
  if (value >= least && value <= most) return;
  const auto in_ms = [](auto duration) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
  };
  throw std::invalid_argument("server options: " + std::string(option) + " of " + in_ms(value) + " ms is not " +
                              in_ms(least) + " to " + in_ms(most) + " ms");
}

void check_limits(const ConnectionLimits& limits) {
  check_range("max_frame_bytes", limits.max_frame_bytes, 64 * kib, 256 * mib);
  check_range("max_message_bytes", limits.max_message_bytes, 1, max_int32);
  check_range("max_header_bytes", limits.max_header_bytes, 8 * kib, mib);
  check_range("max_methods", limits.max_methods, 256, 65536);
  check_range("connection_credit_bytes", limits.connection_credit_bytes, mib, max_int32);
  check_range("call_credit_bytes", limits.call_credit_bytes, 64 * kib, max_int32);
  check_range("max_unread_bytes", limits.max_unread_bytes, limits.max_message_bytes, SIZE_MAX);
  check_range("max_unsent_bytes", limits.max_unsent_bytes, 1, SIZE_MAX);
  check_range("chunk_bytes", limits.chunk_bytes, kib, 16 * mib);
  check_range("read_buffer_bytes", limits.read_buffer_bytes, 0, 256 * mib);
  check_range("write_buffer_bytes", limits.write_buffer_bytes, 0, 256 * mib);
  check_duration("flush_delay", limits.flush_delay, std::chrono::microseconds(0));
  check_duration("handshake_timeout", limits.handshake_timeout, std::chrono::milliseconds(1));
  check_duration("keepalive_interval", limits.keepalive_interval, std::chrono::milliseconds(0));
  check_duration("keepalive_timeout", limits.keepalive_timeout, std::chrono::milliseconds(1));
}

void check_names(const ServerOptions& options) {
  const std::string& name = options.compressor;
  if (name.empty() || name == "identity" || options.compressors.find(name) != nullptr) return;
  throw std::invalid_argument("server options: compressor '" + name + "' is not among compressors");
}

}  // namespace

void check_options(const ServerOptions& options) {
  check_limits(options.limits);
  check_range("loops", options.loops, 1, 1024);
  check_range("worker_threads", options.worker_threads, 0, 65536);
  check_range("max_queued_blocking_calls", options.max_queued_blocking_calls, 0, SIZE_MAX / 2);
  check_range("max_connections", options.max_connections, 1, SIZE_MAX);
  check_range("max_concurrent_calls_per_connection", options.max_concurrent_calls_per_connection, 1, max_int32);
  check_range("max_concurrent_calls", options.max_concurrent_calls, 1, SIZE_MAX);
  check_duration("idle_timeout", options.idle_timeout, std::chrono::milliseconds(0));
  check_duration("loop.busy_poll", options.loop.busy_poll, std::chrono::microseconds(0));
  if (options.codecs.codecs().empty()) throw std::invalid_argument("server options: codecs is empty");
  check_names(options);
  for (const auto& interceptor : options.interceptors) {
    if (interceptor == nullptr) throw std::invalid_argument("server options: interceptors holds a null pointer");
  }
}

}  // namespace trunkline::server
