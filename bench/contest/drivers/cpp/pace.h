// SPDX-License-Identifier: MIT
// Pace: when a client starts its next call, and what it has measured; the same for every contestant in C++.
#pragma once

#include "base/histogram.h"
#include "load/random.h"
#include "options.h"

#include <chrono>
#include <cstdint>

namespace trunkline::contest {

/// Bytes of a large message of the work "mixed".
inline constexpr std::size_t large_bytes = std::size_t{16} << 20;
/// One call in so many of the work "long_tail" is answered late, by so much.
inline constexpr std::uint64_t tail_period = 100;
inline constexpr std::uint32_t tail_delay_us = 5000;

/// What is known of one of the calls under way; a slot makes one call after the other.
struct Turn {
  using Clock = std::chrono::steady_clock;

  std::uint64_t number = 0;  ///< of the call, over all slots
  bool is_large = false;     ///< of the slot: "mixed" has one on each connection
  bool is_delayed = false;
  bool is_sampled = false;  ///< timed, and its answer compared whole, not by its size alone
  bool was_used = false;    ///< the slot has made a call before
  Clock::time_point sent;
};

/// One thread. Reading the clock costs as much as a tenth of the fastest calls, so that with 16 calls under way or more
/// only one in 16 is timed, at random gaps; the first of every slot always is.
class Pace {
 public:
  using Clock = Turn::Clock;

  explicit Pace(const Options& options);

  /// Everything is connected: the warm-up begins.
  void begin();
  /// The slot's next call starts. Not before begin().
  void start(Turn& turn);
  /// The call is answered. False once the time is over: start nothing more.
  bool finish(const Turn& turn);
  /// One line of JSON on stdout.
  void print() const;
  /// Adds what another thread has measured over the same time.
  void merge(const Pace& other);

 private:
  double seconds_;
  double warmup_;
  std::uint64_t sampling_;  ///< one call in so many
  std::uint64_t until_sampled_ = 1;
  load::Random random_{0};
  bool has_tail_;
  Clock::time_point begin_;
  Clock::time_point end_;
  bool is_counting_ = false;
  bool is_over_ = false;
  double cpu_at_begin_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t unrecorded_ = 0;
  std::uint64_t all_calls_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t large_calls_ = 0;
  base::Histogram latency_;
};

}  // namespace trunkline::contest
