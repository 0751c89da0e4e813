// SPDX-License-Identifier: MIT
// The ranges of ChannelOptions.
#include "client/options_check.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace trunkline::client {

namespace {

constexpr std::uint64_t kib = 1 << 10;
constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t max_int32 = INT32_MAX;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("channel options: " + what); }

void check_range(std::string_view option, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return;
  refuse(std::string(option) + " " + std::to_string(value) + " is not " + std::to_string(least) + " to " +
         std::to_string(most));
}

template <class Duration>
void check_duration(std::string_view option, Duration value, Duration least) {
  constexpr auto most = std::chrono::hours(24 * 365);
  if (value >= least && value <= most) return;
  const auto count = std::chrono::duration_cast<std::chrono::microseconds>(value).count();
  const auto least_count = std::chrono::duration_cast<std::chrono::microseconds>(least).count();
  refuse(std::string(option) + " of " + std::to_string(count) + " us is not " + std::to_string(least_count) +
         " us to a year");
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

void check_backoff(const BackoffOptions& backoff) {
  check_duration("backoff.initial", backoff.initial, std::chrono::milliseconds(1));
  check_duration("backoff.maximum", backoff.maximum, backoff.initial);
  if (!(backoff.multiplier >= 1 && backoff.multiplier <= 100)) {
    refuse("backoff.multiplier " + std::to_string(backoff.multiplier) + " is not 1 to 100");
  }
  if (!(backoff.jitter >= 0 && backoff.jitter <= 1)) {
    refuse("backoff.jitter " + std::to_string(backoff.jitter) + " is not 0 to 1");
  }
}

}  // namespace

void check_options(const ChannelOptions& options) {
  check_limits(options.limits);
  check_backoff(options.backoff);
  check_duration("loop.busy_poll", options.loop.busy_poll, std::chrono::microseconds(0));
  if (options.default_timeout) check_duration("default_timeout", *options.default_timeout, std::chrono::nanoseconds(1));
  check_duration("connect_timeout", options.connect_timeout, std::chrono::milliseconds(1));
  check_duration("idle_timeout", options.idle_timeout, std::chrono::milliseconds(0));
  check_range("max_connections", options.max_connections, 1, 1024);
  if (options.max_retries < 0 || options.max_retries > 100) {
    refuse("max_retries " + std::to_string(options.max_retries) + " is not 0 to 100");
  }
  if (options.ordered && options.max_connections != 1) {
    refuse("ordered needs max_connections 1, it is " + std::to_string(options.max_connections));
  }
  if (options.codecs.codecs().empty()) refuse("codecs is empty");
  const std::string& compressor = options.compressor;
  if (!compressor.empty() && compressor != "identity" && options.compressors.find(compressor) == nullptr) {
    refuse("compressor '" + compressor + "' is not among compressors");
  }
  for (const auto& interceptor : options.interceptors) {
    if (interceptor == nullptr) refuse("interceptors holds a null pointer");
  }
}

}  // namespace trunkline::client
