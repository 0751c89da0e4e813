// SPDX-License-Identifier: MIT
// LoadReport: what was run, and what was measured.
#pragma once

#include "base/histogram.h"

#include <trunkline/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::load {

/// What the report says of the plan; as it is saved.
struct LoadSettings {
  std::string endpoint;
  std::string method;
  std::string kind;
  std::string codec;
  std::string compressor;
  std::string arrivals;  ///< "closed", or of the open loop "even" or "poisson"
  std::uint64_t request_bytes = 0;
  std::uint64_t threads = 0;
  std::uint64_t connections = 0;
  std::uint64_t outstanding = 0;
  std::uint64_t messages = 0;  ///< of each stream; 0: no streams
  std::uint64_t total = 0;
  std::uint64_t sampling = 1;  ///< one call in so many was timed
  double rate = 0;             ///< 0: closed loop
  double duration_seconds = 0;
  double warmup_seconds = 0;
  std::string started_at;  ///< UTC, as "2026-11-22T08:24:56Z"
};

struct ErrorCount {
  StatusCode code = StatusCode::unknown;
  std::uint64_t count = 0;
  std::string text;  ///< of the first
  bool operator==(const ErrorCount&) const = default;
};

/// About a second.
struct SeriesPoint {
  double at_seconds = 0;  ///< its end, since the measurement began
  double seconds = 0;     ///< its length
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  std::uint64_t messages = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t max_ns = 0;
  bool operator==(const SeriesPoint&) const = default;
};

/// Of the server's process, while the run lasted.
struct ServerUsage {
  std::uint64_t process_id = 0;
  double cpu_seconds = 0;
  double seconds = 0;
  std::uint64_t memory_bytes = 0;
};

/// What was begun in the measurement, and ended after it.
struct LateCounts {
  std::uint64_t calls = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  bool operator==(const LateCounts&) const = default;
};

enum class RunEnd : unsigned char { complete, interrupted, gave_up };
std::string_view to_string(RunEnd end) noexcept;

struct LoadReport {
  LoadSettings settings;
  RunEnd end = RunEnd::complete;
  double seconds = 0;  ///< measured
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  std::uint64_t messages = 0;
  std::uint64_t unsent = 0;      ///< due at the rate, and never begun
  std::uint64_t unanswered = 0;  ///< given up when the run was over
  std::uint64_t waited = 0;      ///< latencies, at a rate, of calls that timed out or were given up
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  LateCounts late;                 ///< of all these; counts for no rate
  std::vector<ErrorCount> errors;  ///< the most frequent first
  base::FineHistogram latency;
  base::FineHistogram uncorrected;  ///< at a rate
  std::vector<SeriesPoint> series;
  double cpu_seconds = 0;  ///< of this process, while it measured
  std::uint64_t peak_memory_bytes = 0;
  std::optional<ServerUsage> server;

  /// True where latencies are those of messages, not of calls.
  bool is_about_messages() const noexcept { return settings.kind == "bidi-stream"; }
  /// Calls that ended well in the measurement, or messages of bidirectional streams.
  std::uint64_t timely() const noexcept;
  /// A second's timely().
  double rate() const noexcept;
  /// Of streams of any kind.
  double messages_per_second() const noexcept;
  /// Of both directions, in payload bytes a second.
  double bytes_per_second() const noexcept;
};

/// Figures by which runs are told apart, in the order of reports.
struct Figure {
  std::string name;  ///< "calls_per_second", "p99_ms"
  double value = 0;
  /// Standard deviation of the seconds' values; negative: not known.
  double spread = -1;
  /// 1: more is better, -1: less is.
  int better = 1;
};
std::vector<Figure> figures_of(const LoadReport& report);
/// Of all figures that a report may have; each has some of them, in this order.
std::vector<std::string> figure_names();

struct Percentile {
  const char* name;  ///< "p99.9"
  double quantile;
};
/// Those that reports list.
const std::vector<Percentile>& percentiles() noexcept;

}  // namespace trunkline::load
