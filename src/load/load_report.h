// SPDX-License-Identifier: MIT
// LoadReport: the settings and the measurements of a run.
#pragma once

#include "base/histogram.h"

#include <trunkline/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::load {

/// The part of the plan that a report shows and saves.
struct LoadSettings {
  std::string endpoint;
  std::string method;
  std::string kind;
  std::string codec;
  std::string compressor;
  /// The kind of arrivals: "closed", or for the open loop "even" or "poisson".
  std::string arrivals;
  std::uint64_t request_bytes = 0;
  std::uint64_t threads = 0;
  std::uint64_t connections = 0;
  std::uint64_t outstanding = 0;
  /// The number of messages of each stream; 0: there are no streams.
  std::uint64_t messages = 0;
  std::uint64_t total = 0;
  /// One call out of this many was timed.
  std::uint64_t sampling = 1;
  /// The calls per second; 0: closed loop.
  double rate = 0;
  double duration_seconds = 0;
  double warmup_seconds = 0;
  /// The time of the start in UTC, for example "2026-11-22T08:24:56Z".
  std::string started_at;
};

struct ErrorCount {
  StatusCode code = StatusCode::unknown;
  std::uint64_t count = 0;
  /// The text of the first of these errors.
  std::string text;
  bool operator==(const ErrorCount&) const = default;
};

/// The figures of about one second of the run.
struct SeriesPoint {
  /// The end of this second, in seconds since the measurement began.
  double at_seconds = 0;
  /// The actual length of this second, in seconds.
  double seconds = 0;
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  std::uint64_t messages = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t max_ns = 0;
  bool operator==(const SeriesPoint&) const = default;
};

/// The resources that the server's process used during the run.
struct ServerUsage {
  std::uint64_t process_id = 0;
  double cpu_seconds = 0;
  double seconds = 0;
  std::uint64_t memory_bytes = 0;
};

/// The calls that began in the measurement and ended after it.
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
  /// The length of the measurement.
  double seconds = 0;
  std::uint64_t calls = 0;
  std::uint64_t failed = 0;
  std::uint64_t messages = 0;
  /// The calls of an open loop that were due and never began.
  std::uint64_t unsent = 0;
  /// The calls that were cancelled when the run was over.
  std::uint64_t unanswered = 0;
  /// The number of latencies in an open loop that are those of calls that timed out or were cancelled.
  std::uint64_t waited = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  /// The calls among these that ended after the measurement. They do not count for rates.
  LateCounts late;
  /// The errors, of which the most frequent one comes first.
  std::vector<ErrorCount> errors;
  base::FineHistogram latency;
  /// The latencies of an open loop, measured from the actual begin of the calls.
  base::FineHistogram uncorrected;
  std::vector<SeriesPoint> series;
  /// The CPU time of this process during the measurement.
  double cpu_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::optional<ServerUsage> server;

  /// Returns true if latencies are those of messages instead of calls.
  bool is_about_messages() const noexcept { return settings.kind == "bidi-stream"; }
  /// Returns the calls that succeeded in the measurement, or messages of bidirectional streams.
  std::uint64_t successes() const noexcept;
  /// Returns successes() per second.
  double rate() const noexcept;
  /// Returns the messages of streams of any kind per second.
  double messages_per_second() const noexcept;
  /// Returns the payload bytes per second, both directions together.
  double bytes_per_second() const noexcept;
};

/// A figure by which runs are compared.
struct Figure {
  /// The name of the figure, for example "calls_per_second" or "p99_ms".
  std::string name;
  double value = 0;
  /// The standard deviation of the values of single seconds; negative: it is not known.
  double spread = -1;
  /// The better direction; 1: more is better; -1: less is better.
  int better = 1;
};
std::vector<Figure> figures_of(const LoadReport& report);
/// Returns the names of all figures. A report has some of them, in this order.
std::vector<std::string> figure_names();

struct Percentile {
  /// The name of the percentile, for example "p99.9".
  const char* name;
  double quantile;
};
/// Returns the quantiles that reports list.
const std::vector<Percentile>& percentiles() noexcept;

}  // namespace trunkline::load
