// SPDX-License-Identifier: MIT
// Counting calls, and the line of JSON that load_compare reads.
#include "load_report.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

namespace trunkline::bench {
namespace {

LoadReport::Clock::duration to_duration(double seconds) {
  return std::chrono::duration_cast<LoadReport::Clock::duration>(std::chrono::duration<double>(seconds));
}

double to_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

double process_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
}

LoadReport::LoadReport(double warmup_seconds, double seconds) {
  begin_ = Clock::now() + to_duration(warmup_seconds);
  end_ = begin_ + to_duration(seconds);
}

void LoadReport::record(Clock::time_point sent, Clock::time_point now, std::uint64_t count) {
  all_calls_ += count;
  if (now < begin_ || now >= end_) return;
  if (!counting_) {
    counting_ = true;
    cpu_at_begin_ = process_cpu_seconds();
  }
  calls_ += count;
  // A large batch is recorded as one sample with a count, so that recording costs little.
  const auto latency = static_cast<std::uint64_t>(std::chrono::nanoseconds(now - sent).count());
  for (std::uint64_t recorded = 0; recorded < count; recorded += 64) latency_.record(latency);
}

void LoadReport::print() const {
  const double seconds = std::chrono::duration<double>(end_ - begin_).count();
  const double calls = static_cast<double>(std::max<std::uint64_t>(calls_, 1));
  const double cpu = process_cpu_seconds() - cpu_at_begin_;
  std::printf(
      "{\"calls_per_second\": %.1f, \"p50_us\": %.2f, \"p99_us\": %.2f, \"cpu_us_per_call\": %.4f, \"calls\": %llu, "
      "\"all_calls\": %llu}\n",
      static_cast<double>(calls_) / seconds, static_cast<double>(latency_.quantile(0.5)) / 1e3,
      static_cast<double>(latency_.quantile(0.99)) / 1e3, cpu * 1e6 / calls, static_cast<unsigned long long>(calls_),
      static_cast<unsigned long long>(all_calls_));
  std::fflush(stdout);
}

}  // namespace trunkline::bench
