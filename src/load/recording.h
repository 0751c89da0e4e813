// SPDX-License-Identifier: MIT
// Recording: what has been counted and timed in a span of a run.
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
  std::uint64_t calls = 0;     ///< ended with ok
  std::uint64_t failed = 0;    ///< ended with anything else
  std::uint64_t messages = 0;  ///< of streams, in the direction that has more
  std::uint64_t unsent = 0;    ///< due at the rate, and never begun
  std::uint64_t waited = 0;    ///< begun at the rate, and timed without an answer: up to the timeout, or the run's end
  std::uint64_t bytes_sent = 0;  ///< payloads
  std::uint64_t bytes_received = 0;
  std::array<std::uint64_t, status_codes> by_code{};
  std::array<std::string, status_codes> first_text{};  ///< of the first failure of each code
  /// Of calls that ended with ok; of a bidirectional stream's messages; at a rate of `unsent` and `waited` calls too.
  /// From when the call was meant to begin.
  base::FineHistogram latency;
  /// At a rate: from when it did begin.
  base::FineHistogram uncorrected;

  void count_failure(const Status& status);
  /// What `latency.count()` stands for.
  std::uint64_t ended() const noexcept { return calls + failed; }
  void merge(const Recording& other);
  void clear() noexcept;
};

}  // namespace trunkline::load
