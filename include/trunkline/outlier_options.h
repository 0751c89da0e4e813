// SPDX-License-Identifier: MIT
// OutlierOptions: when a channel to several servers ejects one of them, and for how long.
#pragma once

#include <chrono>
#include <cstdint>

namespace trunkline {

/// A server that fails or is slow while others do well gets no calls for a time: it is ejected. Its open calls go on.
/// Failures are unavailable, deadline_exceeded, internal, unknown, data_loss, and the loss of a
/// connection with open calls, which counts once whatever their number. Calls that the server has shed
/// (resource_exhausted, or unavailable as not run) and calls that this side has cancelled say nothing. All other codes
/// are answers. Failures eject a server only if the share of its calls that have failed in the interval is at least
/// twice that of the others, on average: if all fail alike, the cause is elsewhere.
struct OutlierOptions {
  bool enabled = true;
  /// So many failures in a row eject a server at once, if they are at least a hundredth of the calls since the interval
  /// began. That keeps a server with many calls from being ejected for a moment. 0: they never eject.
  std::uint32_t consecutive_failures = 5;
  /// The shares of failures and the latencies are compared once in this time.
  std::chrono::milliseconds interval{10000};
  /// A server with fewer calls in an interval is not judged by its share of failures or its latency.
  std::uint32_t min_calls = 20;
  /// The share of failures in an interval that ejects a server; 0: the share never ejects.
  double failure_rate = 0.5;
  /// A server is ejected if its mean latency in an interval exceeds this multiple of the median of all servers; 0:
  /// never. This needs three servers with min_calls unary calls.
  double latency_factor = 5;
  /// A mean latency below this never ejects.
  std::chrono::milliseconds min_latency{50};
  /// The length of the first ejection; each further one is longer by as much. An interval without an ejection takes one
  /// step back.
  std::chrono::milliseconds ejection_time{30000};
  std::chrono::milliseconds max_ejection_time{300000};
  /// At most this share of the servers is ejected at a time; at least one server may be, if there are two or more.
  double max_ejected = 0.5;
  /// Ejections are ignored while less than this share of the servers would be left.
  double panic_threshold = 0.5;
};

}  // namespace trunkline
