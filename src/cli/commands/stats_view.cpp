// SPDX-License-Identifier: MIT
// StatsView: divides the differences between samples by the time between them.
#include "cli/commands/stats_view.h"

#include "cli/output/duration_text.h"
#include "cli/output/table.h"
#include "cli/output/terminal.h"

#include <algorithm>
#include <cmath>

namespace trunkline::cli::commands {
namespace {

using std::chrono::nanoseconds;
using v1::LatencyHistogram;
using v1::MethodStatistics;
using v1::ServerStatistics;

nanoseconds as_time(std::uint64_t count) { return nanoseconds(static_cast<nanoseconds::rep>(count)); }

std::uint64_t finished(const MethodStatistics& method) {
  std::uint64_t sum = 0;
  for (const auto& [code, count] : method.finished_by_code()) sum += count;
  return sum;
}

std::uint64_t errors(const MethodStatistics& method) {
  const auto ok = method.finished_by_code().find(0);
  return finished(method) - (ok == method.finished_by_code().end() ? 0 : ok->second);
}

/// Returns the increase of a counter. One that decreased has been reset.
double difference(std::uint64_t before, std::uint64_t now) {
  return static_cast<double>(now >= before ? now - before : now);
}

std::string format_quantile(const LatencyHistogram& before, const LatencyHistogram& now, double q) {
  return output::format_duration(quantile(before, now, q));
}

/// Returns a rate, or a dash if there is no time by which to divide.
std::string format_rate(double difference, double seconds) {
  return seconds > 0 ? output::format_count(difference / seconds) : "-";
}

/// Returns a row of the table. `seconds` is 1 for totals instead of rates, and 0 if there are no rates.
output::Table::Row row_of(const MethodStatistics& before, const MethodStatistics& now, double seconds) {
  return {output::escaped(now.method()),
          format_rate(difference(finished(before), finished(now)), seconds),
          std::to_string(now.in_flight()),
          format_rate(difference(errors(before), errors(now)), seconds),
          format_quantile(before.latency(), now.latency(), 0.5),
          format_quantile(before.latency(), now.latency(), 0.99),
          format_rate(difference(before.bytes_received(), now.bytes_received()), seconds),
          format_rate(difference(before.bytes_sent(), now.bytes_sent()), seconds)};
}

std::vector<MethodStatistics> by_name(const ServerStatistics& sample) {
  std::vector<MethodStatistics> methods(sample.methods().begin(), sample.methods().end());
  std::sort(methods.begin(), methods.end(), [](const auto& a, const auto& b) { return a.method() < b.method(); });
  return methods;
}

std::string server_line(const ServerStatistics& before, const ServerStatistics& now) {
  const double time = difference(before.uptime_ns(), now.uptime_ns());
  const double load = time > 0 ? 100 * difference(before.cpu_ns(), now.cpu_ns()) / time : 0;
  std::string line = "process " + std::to_string(now.process_id()) + "  up " +
                     output::format_duration(as_time(now.uptime_ns())) + "  connections " +
                     std::to_string(now.connections()) + "  open calls " + std::to_string(now.open_calls()) +
                     "  refused " + std::to_string(now.calls_refused());
  if (now.calls_shed() > 0) line += " (" + std::to_string(now.calls_shed()) + " shed)";
  if (now.adaptive_limit() > 0) line += "  limit " + std::to_string(now.adaptive_limit());
  line += "  cpu " + output::format_count(std::round(load)) + "%  memory " +
          output::format_count(static_cast<double>(now.memory_bytes())) + "B";
  if (now.memory_max_bytes() > 0) {
    line += "  held " + output::format_count(static_cast<double>(now.memory_used_bytes())) + "B of " +
            output::format_count(static_cast<double>(now.memory_max_bytes())) + "B";
  }
  nanoseconds lag(-1);
  for (int i = 0; i < now.loops_size(); ++i) {
    const LatencyHistogram& earlier = i < before.loops_size() ? before.loops(i).lag() : LatencyHistogram();
    lag = std::max(lag, quantile(earlier, now.loops(i).lag(), 0.99));
  }
  if (now.loops_size() > 0) line += "  loop lag " + output::format_duration(lag);
  return line;
}

std::vector<std::string> assemble(const ServerStatistics& before, const ServerStatistics& now,
                                  const output::Table& table, std::size_t width) {
  std::vector<std::string> lines = table.lines(width);
  const std::string first = server_line(before, now);
  lines.insert(lines.begin(), width > 0 ? output::fit_text(first, width) : first);
  return lines;
}

}  // namespace

nanoseconds quantile(const LatencyHistogram& before, const LatencyHistogram& now, double q) {
  std::map<std::uint64_t, std::uint64_t> counts;
  std::uint64_t total = 0;
  for (const auto& bucket : now.buckets()) counts[bucket.upper_ns()] = bucket.count(), total += bucket.count();
  for (const auto& bucket : before.buckets()) {
    const auto found = counts.find(bucket.upper_ns());
    if (found == counts.end() || found->second < bucket.count()) continue;
    found->second -= bucket.count();
    total -= bucket.count();
  }
  if (now.buckets().empty()) return now.count() == 0 ? nanoseconds(-1) : as_time(q > 0.9 ? now.p99_ns() : now.p50_ns());
  if (total == 0) return nanoseconds(-1);
  auto left = static_cast<std::uint64_t>(std::max(1.0, std::ceil(q * static_cast<double>(total))));
  for (const auto& [upper, count] : counts) {
    if (count >= left) return as_time(std::min(upper, now.max_ns()));
    left -= count;
  }
  return as_time(now.max_ns());
}

std::vector<std::string> StatsView::show(const ServerStatistics& sample, std::size_t width, std::size_t height) {
  const bool is_anew = last_.process_id() != sample.process_id() || last_.uptime_ns() > sample.uptime_ns();
  if (is_anew) last_.Clear();
  const double seconds = is_anew ? 0 : difference(last_.uptime_ns(), sample.uptime_ns()) / 1e9;
  std::map<std::string, MethodStatistics> before;
  for (const auto& method : last_.methods()) before[method.method()] = method;
  output::Table table({"METHOD", "CALLS/S", "IN FLIGHT", "ERRORS/S", "P50", "P99", "IN B/S", "OUT B/S"});
  for (const auto& method : by_name(sample)) table.add(row_of(before[method.method()], method, seconds));
  std::vector<std::string> lines = assemble(last_, sample, table, width);
  last_ = sample;
  if (height > 0 && lines.size() > height) {
    const std::size_t hidden = lines.size() - height + 1;
    lines.resize(height - 1);
    lines.push_back("... and " + std::to_string(hidden) + " more");
  }
  return lines;
}

std::vector<std::string> StatsView::totals(const ServerStatistics& sample, std::size_t width) {
  output::Table table({"METHOD", "CALLS", "IN FLIGHT", "ERRORS", "P50", "P99", "IN B", "OUT B"});
  for (const auto& method : by_name(sample)) table.add(row_of({}, method, 1));
  return assemble({}, sample, table, width);
}

}  // namespace trunkline::cli::commands
