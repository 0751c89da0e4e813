// SPDX-License-Identifier: MIT
// LoadPlan: the parameters of a run: endpoint, method, messages, concurrency and length.
#pragma once

#include <trunkline/channel_options.h>
#include <trunkline/metadata.h>
#include <trunkline/slice.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trunkline::load {

using Clock = std::chrono::steady_clock;

enum class CallKind : unsigned char { unary, one_way, client_stream, server_stream, bidirectional };

/// Returns "unary", "one-way", "client-stream", "server-stream" or "bidi-stream".
std::string_view to_string(CallKind kind) noexcept;

enum class Arrivals : unsigned char { even, poisson };

struct LoadPlan {
  std::string endpoint;
  /// The options of each connection. The run replaces codecs, max_connections and max_retries.
  ChannelOptions channel{};
  /// The options of the loop of each thread.
  EventLoopOptions loop{};
  std::string method;
  CallKind kind = CallKind::unary;
  /// The encoded message that is sent, the same in every call.
  Slice request{};
  /// The name of the codec, one of raw_codec_names.
  std::string codec = "bytes";
  /// True if every response must equal the request. One that differs counts as a failure with data_loss.
  bool expects_echo = false;

  /// The number of threads, each with a loop; at most `connections`.
  std::size_t threads = 1;
  std::size_t connections = 1;
  /// The maximum of calls in progress, over all connections. With a rate, further calls wait.
  std::size_t outstanding = 1;
  /// The number of messages of each stream, if the client decides it.
  std::size_t messages = 100;

  std::chrono::nanoseconds warmup{0};
  /// The length of the run; 0: it ends after `total` calls.
  std::chrono::nanoseconds duration{0};
  /// The number of calls; 0: the run ends after `duration`.
  std::uint64_t total = 0;

  /// The number of calls that begin per second, regardless of responses (open loop). 0: closed loop.
  double rate = 0;
  Arrivals arrivals = Arrivals::even;

  Metadata metadata{};
  std::optional<std::chrono::nanoseconds> timeout{};
  std::string compressor{};

  /// True if the run waits at its start until the server is ready.
  bool waits_for_ready = false;
  std::chrono::nanoseconds connect_patience = std::chrono::seconds(15);
  /// The time for which the end of the run waits for calls in progress.
  std::chrono::nanoseconds grace = std::chrono::seconds(5);
  /// The run ends when every call has failed for this long.
  std::chrono::nanoseconds patience = std::chrono::seconds(3);
};

/// Returns the number of calls of which one is timed, on average; 1: all are timed. With many calls in progress,
/// reading the clock would cost as much as a tenth of a call.
std::size_t sampling_of(const LoadPlan& plan) noexcept;

}  // namespace trunkline::load
