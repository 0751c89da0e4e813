// SPDX-License-Identifier: MIT
// bench_text(): writes the run in one line, then throughput, latency, errors and resources.
#include "cli/bench/bench_text.h"

#include "cli/output/duration_text.h"
#include "cli/output/table.h"
#include "cli/output/terminal.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace trunkline::cli::bench {
namespace {

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text;
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string seconds_text(double seconds) {
  return output::format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)));
}

std::string settings_text(const load::LoadSettings& settings) {
  std::string text = settings.kind + ", " + plural(settings.request_bytes, "byte") + " (" + settings.codec + ")";
  if (!settings.compressor.empty()) text += ", " + settings.compressor;
  if (settings.messages > 0) text += ", " + plural(settings.messages, "message") + " per stream";
  text += ", " + plural(settings.threads, "thread") + ", " + plural(settings.connections, "connection") + ", ";
  text += (settings.rate > 0 ? "at most " : "") + plural(settings.outstanding, "call") + " in progress\n  ";
  text += settings.rate > 0
              ? "open loop, " + output::format_count(settings.rate) + " calls/s, " + settings.arrivals + " arrivals"
              : "closed loop";
  text += settings.total > 0 ? ", " + plural(settings.total, "call") : ", " + seconds_text(settings.duration_seconds);
  if (settings.warmup_seconds > 0) text += " after " + seconds_text(settings.warmup_seconds) + " of warm-up";
  return text;
}

std::string throughput_text(const load::LoadReport& report) {
  const char* const unit = report.is_about_messages() ? "messages" : "calls";
  std::string text = format("%-11s%s/s (%llu in %s)\n", unit, output::format_count(report.rate()).c_str(),
                            static_cast<unsigned long long>(report.successes()), seconds_text(report.seconds).c_str());
  if (report.late.calls > 0) {
    text += format("%-11s%llu calls ended after the run: counted for latencies, but not for rates\n", "late",
                   static_cast<unsigned long long>(report.late.calls));
  }
  const double seconds = report.seconds > 0 ? report.seconds : 1;
  if (report.settings.messages > 0 && report.is_about_messages()) {
    text += format("%-11s%llu ended\n", "streams", static_cast<unsigned long long>(report.calls));
  } else if (report.settings.messages > 0) {
    text += format("%-11s%s/s\n", "messages", output::format_count(report.messages_per_second()).c_str());
  }
  text += format("%-11s%s/s sent, %s/s received\n", "payloads",
                 bytes_text(static_cast<double>(report.bytes_sent - report.late.bytes_sent) / seconds).c_str(),
                 bytes_text(static_cast<double>(report.bytes_received - report.late.bytes_received) / seconds).c_str());
  return text;
}

std::string latency_table(const load::LoadReport& report) {
  if (report.latency.count() == 0) return "";
  const bool is_open = report.uncorrected.count() > 0;
  std::string text = is_open ? "latency      since due    since sent\n" : "latency\n";
  const auto row = [&](const std::string& name, std::uint64_t value, std::uint64_t uncorrected) {
    text += format("  %-8s %11s", name.c_str(), latency_text(value).c_str());
    if (is_open) text += format(" %13s", latency_text(uncorrected).c_str());
    text += "\n";
  };
  row("mean", static_cast<std::uint64_t>(report.latency.mean()), static_cast<std::uint64_t>(report.uncorrected.mean()));
  row("min", report.latency.min(), report.uncorrected.min());
  for (const load::Percentile& each : load::percentiles()) {
    row(each.name, report.latency.quantile(each.quantile), report.uncorrected.quantile(each.quantile));
  }
  row("max", report.latency.max(), report.uncorrected.max());
  if (report.settings.sampling > 1) {
    text += format("  one call in %llu was timed, chosen at random: %llu in total\n",
                   static_cast<unsigned long long>(report.settings.sampling),
                   static_cast<unsigned long long>(report.latency.count()));
  }
  if (report.settings.kind == "one-way")
    text += "  until handed to the connection; calls/s: until the server had received all\n";
  return text;
}

std::string errors_text(const load::LoadReport& report) {
  std::string text;
  const double ended = static_cast<double>(std::max<std::uint64_t>(1, report.calls + report.failed));
  if (report.failed > 0) {
    text += format("failed     %llu (%.3g %%)\n", static_cast<unsigned long long>(report.failed),
                   100 * static_cast<double>(report.failed) / ended);
  }
  for (const load::ErrorCount& each : report.errors) {
    text += format("  %-20s %12llu  ", std::string(to_string(each.code)).c_str(),
                   static_cast<unsigned long long>(each.count));
    text += output::escaped(output::fit_text(each.text, 160)) + "\n";
  }
  if (report.unsent > 0) {
    text +=
        format("not sent   %llu calls were due but not sent: the server or the client cannot keep up with the rate\n",
               static_cast<unsigned long long>(report.unsent));
  }
  if (report.unanswered > 0) {
    text += format("open       %llu calls had no response when the run ended and were cancelled\n",
                   static_cast<unsigned long long>(report.unanswered));
  }
  if (report.waited > 0) {
    text += format("waited     %llu of the latencies are waiting times of calls without a response\n",
                   static_cast<unsigned long long>(report.waited));
  }
  return text;
}

std::string usage_text(const load::LoadReport& report) {
  const double units = std::max(1.0, static_cast<double>(report.successes()));
  const double seconds = report.seconds > 0 ? report.seconds : 1;
  const auto share = [&](double cores) {
    return format("%.2f cores, %s per %s", cores,
                  latency_text(static_cast<std::uint64_t>(cores * seconds * 1e9 / units)).c_str(),
                  report.is_about_messages() ? "message" : "call");
  };
  std::string text = "CPU        client " + share(report.cpu_seconds / seconds);
  if (report.server && report.server->seconds > 0) {
    text += "; server " + share(report.server->cpu_seconds / report.server->seconds);
  }
  text += "\nmemory     client " + bytes_text(static_cast<double>(report.peak_memory_bytes)) + " at its peak";
  if (report.server) text += "; server " + bytes_text(static_cast<double>(report.server->memory_bytes));
  return text + "\n";
}

}  // namespace

std::string latency_text(std::uint64_t nanoseconds) {
  return output::format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds)));
}

std::string bytes_text(double bytes) {
  std::string text = output::format_count(bytes);
  const bool has_unit = text.back() < '0' || text.back() > '9';
  if (!has_unit) return text + " B";
  return text.substr(0, text.size() - 1) + " " + text.back() + "B";
}

std::string bench_text(const load::LoadReport& report) {
  std::string text = report.settings.endpoint + "  " + output::escaped(report.settings.method) + "\n  " +
                     settings_text(report.settings) + "\n";
  if (report.end == load::RunEnd::interrupted) text += "  interrupted: results until then\n";
  if (report.end == load::RunEnd::gave_up) text += "  ended early: all calls failed at the end\n";
  return text + "\n" + throughput_text(report) + errors_text(report) + "\n" + latency_table(report) + "\n" +
         usage_text(report);
}

}  // namespace trunkline::cli::bench
