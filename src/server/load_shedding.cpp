// SPDX-License-Identifier: MIT
// LoadShedding: feeds the adaptive limit, and makes the status of shed calls.
#include "server/load_shedding.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace trunkline::server {

namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr std::int64_t longest_pause = 5000;
/// A number whose multiples, modulo 2^64, are spread evenly.
constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;

AdaptiveLimit::Options limit_options(const OverloadOptions& options) {
  return {.min = options.min_adaptive_limit,
          .max = std::max(options.min_adaptive_limit, options.max_adaptive_limit),
          .window = options.adaptive_window,
          .tolerance = options.adaptive_tolerance_percent / 100.0};
}

}  // namespace

LoadShedding::LoadShedding(const OverloadOptions& options)
    : has_limit_(options.adaptive_limit),
      limit_(options.min_adaptive_limit),
      pause_(std::clamp<std::int64_t>(options.queue_interval.count(), 1, longest_pause)),
      least_pause_(pause_),
      adaptive_(limit_options(options)) {}

void LoadShedding::add_latency(base::TimePoint now, base::Duration latency, std::size_t in_flight) {
  const std::lock_guard lock(mutex_);
  adaptive_.add(now, latency, in_flight);
  limit_.store(adaptive_.limit(), std::memory_order_relaxed);
  const std::int64_t mean = std::chrono::duration_cast<Milliseconds>(adaptive_.latency()).count();
  pause_.store(std::clamp(mean, least_pause_, longest_pause), std::memory_order_relaxed);
}

Status LoadShedding::shed(std::string_view method, std::string_view why) {
  const std::uint64_t number = calls_shed_.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t pause = pause_.load(std::memory_order_relaxed);
  // The result is one to two times the pause.
  const auto further =
      static_cast<std::int64_t>((number * golden_ratio >> 32) * static_cast<std::uint64_t>(pause) >> 32);
  Status status(StatusCode::unavailable,
                "call " + std::string(method) + ": the server is overloaded: " + std::string(why));
  status.set_may_have_run(false);
  status.set_retry_after(Milliseconds(pause + further));
  return status;
}

}  // namespace trunkline::server
