// SPDX-License-Identifier: MIT
// LoadReport: the figures of a report, with their spread over its seconds.
#include "load/load_report.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trunkline::load {
namespace {

constexpr double nanoseconds_per_millisecond = 1e6;
/// The least length of a last second that is a sample.
constexpr double min_sample_seconds = 0.5;

double milliseconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / nanoseconds_per_millisecond;
}

enum class Points : unsigned char { all, with_latency };

/// Returns the standard deviation; negative if there are fewer than three values.
template <class Value>
double spread_of(const std::vector<SeriesPoint>& series, Points points, Value value) {
  double sum = 0, squares = 0, count = 0;
  for (const SeriesPoint& point : series) {
    if (point.seconds < min_sample_seconds || (points == Points::with_latency && point.max_ns == 0)) continue;
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

std::uint64_t LoadReport::successes() const noexcept {
  return is_about_messages() ? messages - late.messages : calls - late.calls;
}

double LoadReport::rate() const noexcept { return seconds > 0 ? static_cast<double>(successes()) / seconds : 0.0; }

double LoadReport::messages_per_second() const noexcept {
  return seconds > 0 ? static_cast<double>(messages - late.messages) / seconds : 0.0;
}

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

namespace {

constexpr std::array uncorrected_percentiles{Percentile{"p50", 0.5}, Percentile{"p99", 0.99},
                                             Percentile{"p99.9", 0.999}};

std::string name_of(const char* prefix, const Percentile& percentile) {
  return std::string(prefix) + percentile.name + "_ms";
}

void add_rates(const LoadReport& report, std::vector<Figure>& figures) {
  using Point = const SeriesPoint&;
  const auto calls = [](Point at) { return static_cast<double>(at.calls) / at.seconds; };
  const auto messages = [](Point at) { return static_cast<double>(at.messages) / at.seconds; };
  if (!report.is_about_messages()) {
    figures.push_back({"calls_per_second", report.rate(), spread_of(report.series, Points::all, calls), 1});
  }
  if (report.is_about_messages() || report.settings.messages > 0) {
    figures.push_back(
        {"messages_per_second", report.messages_per_second(), spread_of(report.series, Points::all, messages), 1});
  }
}

void add_latencies(const LoadReport& report, std::vector<Figure>& figures) {
  if (report.latency.count() > 0) {
    figures.push_back({"mean_ms", report.latency.mean() / nanoseconds_per_millisecond, -1, -1});
    figures.push_back({"min_ms", milliseconds(report.latency.min()), -1, -1});
    for (const Percentile& each : percentiles()) {
      const auto spread = [&](auto value) { return spread_of(report.series, Points::with_latency, value); };
      const double deviation = each.quantile == 0.5    ? spread([](const auto& at) { return milliseconds(at.p50_ns); })
                               : each.quantile == 0.99 ? spread([](const auto& at) { return milliseconds(at.p99_ns); })
                                                       : -1;
      figures.push_back({name_of("", each), milliseconds(report.latency.quantile(each.quantile)), deviation, -1});
    }
    figures.push_back({"max_ms", milliseconds(report.latency.max()), -1, -1});
  }
  if (report.uncorrected.count() == 0) return;
  for (const Percentile& each : uncorrected_percentiles) {
    const double value = milliseconds(report.uncorrected.quantile(each.quantile));
    figures.push_back({name_of("uncorrected_", each), value, -1, -1});
  }
}

}  // namespace

std::vector<Figure> figures_of(const LoadReport& report) {
  std::vector<Figure> figures;
  add_rates(report, figures);
  add_latencies(report, figures);
  const std::string unit = report.is_about_messages() ? "message" : "call";
  const double units = std::max(1.0, static_cast<double>(report.successes()));
  figures.push_back({"megabytes_per_second", report.bytes_per_second() / 1e6, -1, 1});
  figures.push_back({"failed_calls", static_cast<double>(report.failed), -1, -1});
  figures.push_back({"client_cpu_us_per_" + unit, report.cpu_seconds * 1e6 / units, -1, -1});
  figures.push_back({"client_peak_memory_mb", static_cast<double>(report.peak_memory_bytes) / 1e6, -1, -1});
  if (report.server) {
    const double share = report.server->seconds > 0 ? report.server->cpu_seconds / report.server->seconds : 0;
    figures.push_back({"server_cpu_us_per_" + unit, share * report.seconds * 1e6 / units, -1, -1});
    figures.push_back({"server_memory_mb", static_cast<double>(report.server->memory_bytes) / 1e6, -1, -1});
  }
  return figures;
}

std::vector<std::string> figure_names() {
  std::vector<std::string> names{"calls_per_second", "messages_per_second", "mean_ms", "min_ms"};
  for (const Percentile& each : percentiles()) names.push_back(name_of("", each));
  names.emplace_back("max_ms");
  for (const Percentile& each : uncorrected_percentiles) names.push_back(name_of("uncorrected_", each));
  for (const char* const name :
       {"megabytes_per_second", "failed_calls", "client_cpu_us_per_call", "client_cpu_us_per_message",
        "client_peak_memory_mb", "server_cpu_us_per_call", "server_cpu_us_per_message", "server_memory_mb"}) {
    names.emplace_back(name);
  }
  return names;
}

}  // namespace trunkline::load
