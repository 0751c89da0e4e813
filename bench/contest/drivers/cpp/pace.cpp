// SPDX-License-Identifier: MIT
// Counting calls, and the line of JSON that the runner reads.
#include "pace.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace trunkline::contest {
namespace {

Pace::Clock::duration to_duration(double seconds) {
  return std::chrono::duration_cast<Pace::Clock::duration>(std::chrono::duration<double>(seconds));
}

double to_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double process_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
}

double to_us(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

}  // namespace

Pace::Pace(const Options& options)
    : seconds_(options.seconds),
      warmup_(options.warmup),
      sampling_(options.outstanding >= 16 && !options.is("long_tail") ? 16 : 1),
      has_tail_(options.is("long_tail")) {}

void Pace::begin() {
  begin_ = Clock::now() + to_duration(warmup_);
  end_ = begin_ + to_duration(seconds_);
}

void Pace::start(Turn& turn) {
  turn.number = started_++;
  const bool is_due = --until_sampled_ == 0;
  if (is_due) until_sampled_ = sampling_ == 1 ? 1 : 1 + random_.next() % (2 * sampling_ - 1);
  turn.is_sampled = is_due || !turn.was_used || turn.is_large;
  turn.is_delayed = has_tail_ && turn.number % tail_period == tail_period - 1;
  turn.was_used = true;
  if (turn.is_sampled) turn.sent = Clock::now();
}

bool Pace::finish(const Turn& turn) {
  ++all_calls_;
  if (!turn.is_large) ++unrecorded_;
  if (!turn.is_sampled) return !is_over_;
  const auto now = Clock::now();
  const auto count = std::exchange(unrecorded_, 0);
  if (now >= end_) {
    is_over_ = true;
  } else if (now >= begin_) {
    if (!std::exchange(is_counting_, true)) cpu_at_begin_ = process_cpu_seconds();
    calls_ += count;
    if (turn.is_large) {
      ++large_calls_;
    } else {
      latency_.record(static_cast<std::uint64_t>(std::chrono::nanoseconds(now - turn.sent).count()));
    }
  }
  return !is_over_;
}

void Pace::merge(const Pace& other) {
  cpu_at_begin_ = std::max(cpu_at_begin_, other.cpu_at_begin_);
  all_calls_ += other.all_calls_;
  calls_ += other.calls_;
  large_calls_ += other.large_calls_;
  latency_.merge(other.latency_);
}

void Pace::print() const {
  std::printf("{\"calls\": %llu, \"seconds\": %.6f, \"all_calls\": %llu, \"large_calls\": %llu, ",
              static_cast<unsigned long long>(calls_), seconds_, static_cast<unsigned long long>(all_calls_),
              static_cast<unsigned long long>(large_calls_));
  std::printf("\"p50_us\": %.2f, \"p95_us\": %.2f, \"p99_us\": %.2f, \"max_us\": %.2f, \"cpu_seconds\": %.6f}\n",
              to_us(latency_.quantile(0.5)), to_us(latency_.quantile(0.95)), to_us(latency_.quantile(0.99)),
              to_us(latency_.max()), process_cpu_seconds() - cpu_at_begin_);
  std::fflush(stdout);
}

}  // namespace trunkline::contest
