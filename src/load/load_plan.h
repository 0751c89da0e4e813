// SPDX-License-Identifier: MIT
// LoadPlan: what a run sends, to whom, how much at once and for how long.
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

/// "unary", "one-way", "client-stream", "server-stream", "bidi-stream".
std::string_view to_string(CallKind kind) noexcept;

enum class Arrivals : unsigned char { even, poisson };

struct LoadPlan {
  std::string endpoint;
  ChannelOptions channel{};  ///< of each connection; codecs, max_connections and max_retries are the run's
  EventLoopOptions loop{};   ///< of each thread
  std::string method;
  CallKind kind = CallKind::unary;
  Slice request{};              ///< every message that is sent, encoded
  std::string codec = "bytes";  ///< one of raw_codec_names
  bool expects_echo = false;    ///< every answer is to be the request; another one counts as data_loss

  std::size_t threads = 1;  ///< a loop each; at most `connections`
  std::size_t connections = 1;
  std::size_t outstanding = 1;  ///< calls under way at most, over all connections; with a rate: the rest waits
  std::size_t messages = 100;   ///< of each stream, where this side says how many

  std::chrono::nanoseconds warmup{0};
  std::chrono::nanoseconds duration{0};  ///< 0: until `total` calls
  std::uint64_t total = 0;               ///< 0: until `duration` has passed

  double rate = 0;  ///< calls a second that are begun whether answers come or not (open loop); 0: closed loop
  Arrivals arrivals = Arrivals::even;

  Metadata metadata{};
  std::optional<std::chrono::nanoseconds> timeout{};
  std::string compressor{};

  bool waits_for_ready = false;  ///< for the server to come up, before the run begins
  std::chrono::nanoseconds connect_patience = std::chrono::seconds(15);
  std::chrono::nanoseconds grace = std::chrono::seconds(5);     ///< for calls under way at the end
  std::chrono::nanoseconds patience = std::chrono::seconds(3);  ///< the run ends when all calls failed for so long
};

/// Calls between those that are timed, on average; 1: all are. With many under way the clock would cost as much as a
/// tenth of a call.
std::size_t sampling_of(const LoadPlan& plan) noexcept;

}  // namespace trunkline::load
