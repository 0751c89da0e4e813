// SPDX-License-Identifier: MIT
// ChannelOptions: how a channel connects, what it offers, and where its limits are.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>
#include <trunkline/event_loop.h>
#include <trunkline/interceptor.h>
#include <trunkline/tls.h>
#include <trunkline/transport_options.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline {

/// The wait before the n-th attempt to connect after a failure: initial * multiplier^(n-1), at most maximum, spread by
/// +-jitter (0 to 1). After https://github.com/grpc/grpc/blob/master/doc/connection-backoff.md.
struct BackoffOptions {
  std::chrono::milliseconds initial{100};
  std::chrono::milliseconds maximum{30000};
  double multiplier = 1.6;
  double jitter = 0.2;
  std::uint64_t seed = 0;  ///< of the jitter; 0: from the system
};

enum class PendingPolicy : std::uint8_t {
  wait,  ///< calls beyond max_pending_calls wait as well, in order, until their deadline: callers bound their number
  fail,  ///< calls and streams beyond it, however they are begun, end with resource_exhausted at once; the default
};

struct ChannelOptions {
  ConnectionLimits limits{};
  TransportOptions transport{};
  TlsOptions tls{};
  EventLoopOptions loop{};  ///< of the channel's own loop, if it is not given one
  CodecRegistry codecs = CodecRegistry::with_defaults();
  CompressorRegistry compressors = CompressorRegistry::with_defaults();
  std::string compressor{};                  ///< for requests whose call names none; empty: none
  std::size_t compression_threshold = 1024;  ///< smaller messages are sent as they are
  std::optional<std::chrono::nanoseconds> default_timeout{};
  std::chrono::milliseconds connect_timeout{20000};
  BackoffOptions backoff{};
  std::size_t max_connections = 1;            ///< the pool's size; calls go to the connection with the fewest open ones
  std::chrono::milliseconds idle_timeout{0};  ///< a connection without calls is closed after this; 0: never
  std::size_t max_pending_calls = 100000;     ///< calls that wait for a connection or for room on one
  PendingPolicy pending_policy = PendingPolicy::fail;
  bool ordered =
      false;  ///< one connection's calls run and are answered one after the other (FIFO); needs max_connections == 1
  /// Repeats of a call whose connection was lost or that was refused as not run (unavailable; not resource_exhausted,
  /// by which a server sheds load): of idempotent calls, and of those known not to have run whose request is still at
  /// hand - of blocking calls and call_many(), and of what waited for a connection. There is a pause before repeating
  /// on a connection that is up, and a budget for all: a channel whose calls mostly fail stops repeating. A plain
  /// asynchronous call that was sent at once, on the loop's thread, is not repeated, in whatever codec, nor are one-way
  /// calls and streams.
  int max_retries = 3;
  std::vector<std::shared_ptr<Interceptor>> interceptors{};
  LogCallback log{};
};

}  // namespace trunkline
