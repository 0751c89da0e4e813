// SPDX-License-Identifier: MIT
// Figures of a report, with the spread that its seconds show.
#include "load/load_report.h"

#include <algorithm>
#include <cmath>

namespace trunkline::load {
namespace {

constexpr double nanoseconds_per_millisecond = 1e6;
/// A last second that was cut short says little.
constexpr double shortest = 0.5;

double milliseconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / nanoseconds_per_millisecond;
}

enum class Points : unsigned char { all, with_latency };

/// Negative for less than three.
template <class Value>
double spread_of(const std::vector<SeriesPoint>& series, Points points, Value value) {
  double sum = 0, squares = 0, count = 0;
  for (const SeriesPoint& point : series) {
    if (point.seconds < shortest || (points == Points::with_latency && point.max_ns == 0)) continue;
    const double each = value(point);
    sum += each, squares += each * each, count += 1;
  }
  if (count < 3) return -1;
  const double mean = sum / count;
  return std::sqrt(std::max(0.0, (squares - count * mean * mean) / (count - 1)));
}

}  // namespace

std::string_view to_string(RunEnd end) noexcept {
  switch (end) {
    case RunEnd::complete:
      return "complete";
    case RunEnd::interrupted:
      return "interrupted";
    case RunEnd::gave_up:
      return "gave_up";
  }
  return "complete";
}

std::uint64_t LoadReport::timely() const noexcept {
  return is_about_messages() ? messages - late.messages : calls - late.calls;
}

double LoadReport::rate() const noexcept { return seconds > 0 ? static_cast<double>(timely()) / seconds : 0.0; }

double LoadReport::bytes_per_second() const noexcept {
  return seconds > 0
             ? static_cast<double>(bytes_sent + bytes_received - late.bytes_sent - late.bytes_received) / seconds
             : 0.0;
}

const std::vector<Percentile>& percentiles() noexcept {
  static const std::vector<Percentile> list{{"p1", 0.01},     {"p10", 0.1},      {"p25", 0.25}, {"p50", 0.5},
                                            {"p75", 0.75},    {"p90", 0.9},      {"p95", 0.95}, {"p99", 0.99},
                                            {"p99.9", 0.999}, {"p99.99", 0.9999}};
  return list;
}

std::vector<Figure> figures_of(const LoadReport& report) {
  const bool is_messages = report.is_about_messages();
  const auto rate = [&](const SeriesPoint& point) {
    return static_cast<double>(is_messages ? point.messages : point.calls) / point.seconds;
  };
  std::vector<Figure> figures;
  figures.push_back({is_messages ? "messages_per_second" : "calls_per_second", report.rate(),
                     spread_of(report.series, Points::all, rate), 1});
  const double latency_count = static_cast<double>(report.latency.count());
  if (latency_count > 0) {
    figures.push_back({"mean_ms", report.latency.mean() / nanoseconds_per_millisecond, -1, -1});
    figures.push_back({"min_ms", milliseconds(report.latency.min()), -1, -1});
    for (const Percentile& each : percentiles()) {
      const double value = milliseconds(report.latency.quantile(each.quantile));
      double spread = -1;
      if (each.quantile == 0.5)
        spread = spread_of(report.series, Points::with_latency, [](const auto& at) { return milliseconds(at.p50_ns); });
      if (each.quantile == 0.99)
        spread = spread_of(report.series, Points::with_latency, [](const auto& at) { return milliseconds(at.p99_ns); });
      figures.push_back({std::string(each.name) + "_ms", value, spread, -1});
    }
    figures.push_back({"max_ms", milliseconds(report.latency.max()), -1, -1});
  }
  if (report.uncorrected.count() > 0) {
    for (const auto& [name, quantile] : {Percentile{"p50", 0.5}, Percentile{"p99", 0.99}, Percentile{"p99.9", 0.999}}) {
      figures.push_back(
          {"uncorrected_" + std::string(name) + "_ms", milliseconds(report.uncorrected.quantile(quantile)), -1, -1});
    }
  }
  const double units = std::max(1.0, static_cast<double>(report.timely()));
  figures.push_back({"megabytes_per_second", report.bytes_per_second() / 1e6, -1, 1});
  figures.push_back({"failed_calls", static_cast<double>(report.failed), -1, -1});
  figures.push_back({"client_cpu_us_per_call", report.cpu_seconds * 1e6 / units, -1, -1});
  figures.push_back({"client_peak_memory_mb", static_cast<double>(report.peak_memory_bytes) / 1e6, -1, -1});
  if (report.server) {
    const double share = report.server->seconds > 0 ? report.server->cpu_seconds / report.server->seconds : 0;
    figures.push_back({"server_cpu_us_per_call", share * report.seconds * 1e6 / units, -1, -1});
    figures.push_back({"server_memory_mb", static_cast<double>(report.server->memory_bytes) / 1e6, -1, -1});
  }
  return figures;
}

}  // namespace trunkline::load
