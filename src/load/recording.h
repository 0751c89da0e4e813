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

/// Latencies are in nanoseconds. Not safe for concurrent use.
struct Recording {
  /// Calls that ended with ok.
  std::uint64_t calls = 0;
  /// Calls that ended with another status.
  std::uint64_t failed = 0;
  /// Messages of streams, in the direction that has more of them.
  std::uint64_t messages = 0;
  /// Open loop only: calls that were due and never began.
  std::uint64_t unsent = 0;
  /// Open loop only: calls without a response. Their latency is the time until their timeout or the end of the run.
  std::uint64_t waited = 0;
  /// Payload bytes.
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::array<std::uint64_t, status_codes> by_code{};
  /// The text of the first failure of each code.
  std::array<std::string, status_codes> first_text{};
  /// Latencies of calls that ended with ok, or of messages of a bidirectional stream. In the open loop also of `unsent`
  /// and `waited` calls, and measured from the time at which the call was due.
  base::FineHistogram latency;
  /// Open loop only: latencies measured from the time at which the call actually began.
  base::FineHistogram uncorrected;

  void count_failure(const Status& status);
  /// How many calls or messages `latency` represents.
  std::uint64_t ended() const noexcept { return calls + failed; }
  void merge(const Recording& other);
  void clear() noexcept;
};

}  // namespace trunkline::load
