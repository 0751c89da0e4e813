// SPDX-License-Identifier: MIT
// Recording: counts and latencies of a part of a run.
#pragma once

#include "base/histogram.h"

#include <trunkline/status.h>

#include <array>
#include <cstdint>
#include <string>

namespace trunkline::load {

inline constexpr std::size_t status_codes = 17;

/// The counts of a part of a run. Latencies are in nanoseconds. It is not safe for concurrent use.
struct Recording {
  /// The number of calls that ended with ok.
  std::uint64_t calls = 0;
  /// The number of calls that ended with another status.
  std::uint64_t failed = 0;
  /// The number of messages of streams, in the direction that has more of them.
  std::uint64_t messages = 0;
  /// The number of calls of an open loop that were due and never began.
  std::uint64_t unsent = 0;
  /// The calls of an open loop without a response. Their latency is the time until their timeout or the run's end.
  std::uint64_t waited = 0;
  /// The number of payload bytes.
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::array<std::uint64_t, status_codes> by_code{};
  /// The text of the first failure of each code.
  std::array<std::string, status_codes> first_text{};
  /// The latencies of calls that ended with ok, or of messages of a bidirectional stream. In the open loop those of
  /// `unsent` and `waited` calls belong to it, and all are measured from the time at which the call was due.
  base::FineHistogram latency;
  /// The latencies of an open loop, measured from the time at which the call actually began.
  base::FineHistogram uncorrected;

  void count_failure(const Status& status);
  /// Returns how many calls or messages `latency` represents.
  std::uint64_t ended() const noexcept { return calls + failed; }
  void merge(const Recording& other);
  void clear() noexcept;
};

}  // namespace trunkline::load
