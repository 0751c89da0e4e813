// SPDX-License-Identifier: MIT
// The ranges of ChannelOptions.
#include "client/options_check.h"

#include "call/option_checker.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace trunkline::client {

namespace {

constexpr call::OptionChecker checker("channel options");

void check_backoff(const BackoffOptions& backoff) {
  checker.check_duration("backoff.initial", backoff.initial, std::chrono::milliseconds(1));
  checker.check_duration("backoff.maximum", backoff.maximum, backoff.initial);
  // Written so that a NaN is refused.
  if (!(backoff.multiplier >= 1 && backoff.multiplier <= 100)) {
    checker.refuse("backoff.multiplier " + std::to_string(backoff.multiplier) + " is not 1 to 100");
  }
  if (!(backoff.jitter >= 0 && backoff.jitter <= 1)) {
    checker.refuse("backoff.jitter " + std::to_string(backoff.jitter) + " is not 0 to 1");
  }
}

}  // namespace

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
  checker.check_range("max_retries", options.max_retries, 0, 100);
  if (options.ordered && options.max_connections != 1) {
    checker.refuse("ordered needs max_connections 1, it is " + std::to_string(options.max_connections));
  }
  const auto is_of_authority = [](char letter) {
    return letter > 0x20 && letter < 0x7F && letter != '@' && letter != '/';
  };
  if (options.authority.size() > 1024 ||
      !std::all_of(options.authority.begin(), options.authority.end(), is_of_authority)) {
    checker.refuse("authority is not up to 1024 printable characters without '@' and '/'");
  }
  checker.check_codecs(options.codecs);
  checker.check_compressor(options.compressor, options.compressors);
  checker.check_interceptors(options.interceptors);
}

void check_options(const ChannelOptions& options, const Endpoint& endpoint) {
  if (endpoint.protocol() == WireProtocol::grpc && options.ordered) {
    checker.refuse("ordered cannot be kept over gRPC, which " + endpoint.to_string() + " asks for");
  }
}

}  // namespace trunkline::client
