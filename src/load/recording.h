// SPDX-License-Identifier: MIT
// Recording: what was counted and timed in a span of a run.
#pragma once

#include "base/histogram.h"

#include <trunkline/status.h>

#include <array>
#include <cstdint>
#include <string>

namespace trunkline::load {

inline constexpr std::size_t status_codes = 17;

/// Latencies in nanoseconds. One thread.
struct Recording {
  /// Calls that ended with ok.
  std::uint64_t calls = 0;
  /// Calls that ended with another status.
  std::uint64_t failed = 0;
  /// Messages of streams, in the direction that has more of them.
  std::uint64_t messages = 0;
  /// Calls that were due at the rate and never began.
  std::uint64_t unsent = 0;
  /// At a rate: calls without a response, timed up to their timeout or the end of the run.
  std::uint64_t waited = 0;
  /// Payload bytes.
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::array<std::uint64_t, status_codes> by_code{};
  /// The text of the first failure of each code.
  std::array<std::string, status_codes> first_text{};
  /// Of calls that ended with ok, or of messages of a bidirectional stream. At a rate also of `unsent` and `waited`
  /// calls. Counted from the time at which the call was due.
  base::FineHistogram latency;
  /// At a rate: counted from the time at which the call really began.
  base::FineHistogram uncorrected;

  void count_failure(const Status& status);
  /// How many calls or messages `latency` represents.
  std::uint64_t ended() const noexcept { return calls + failed; }
  void merge(const Recording& other);
  void clear() noexcept;
};

}  // namespace trunkline::load
