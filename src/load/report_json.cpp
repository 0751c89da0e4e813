// SPDX-License-Identifier: MIT
// Writes and reads reports. Histograms are written as pairs of a bucket's upper bound and its count.
#include "load/report_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace trunkline::load {
namespace {

using Json = nlohmann::ordered_json;

/// The member that identifies the file, and the version of the format as its value.
constexpr const char* mark = "trunkline_bench";
constexpr int version = 1;

Json histogram_json(const base::FineHistogram& histogram) {
  Json buckets = Json::array();
  histogram.visit_buckets([&](std::uint64_t upper, std::uint64_t count) {
    // The last bucket ends at the largest value itself, so that the maximum is read back exactly.
    buckets.push_back({std::min(upper, histogram.max()), count});
  });
  return {{"unit", "ns"}, {"relative_error", 0x1p-10}, {"min", histogram.min()}, {"buckets", std::move(buckets)}};
}

void read_histogram(const Json& json, base::FineHistogram& histogram) {
  const auto min = json.at("min").get<std::uint64_t>();
  bool is_first = true;
  for (const Json& bucket : json.at("buckets")) {
    const auto upper = bucket.at(0).get<std::uint64_t>();
    const auto count = bucket.at(1).get<std::uint64_t>();
    if (count == 0) continue;
    // The smallest value is in the first bucket.
    histogram.record(is_first ? std::min(min, upper) : upper, 1);
    histogram.record(upper, count - 1);
    is_first = false;
  }
}

Json settings_json(const LoadSettings& settings) {
  return {{"endpoint", settings.endpoint},
          {"method", settings.method},
          {"kind", settings.kind},
          {"codec", settings.codec},
          {"compressor", settings.compressor},
          {"arrivals", settings.arrivals},
          {"request_bytes", settings.request_bytes},
          {"threads", settings.threads},
          {"connections", settings.connections},
          {"outstanding", settings.outstanding},
          {"messages_per_stream", settings.messages},
          {"total", settings.total},
          {"timed_one_in", settings.sampling},
          {"rate", settings.rate},
          {"duration_seconds", settings.duration_seconds},
          {"warmup_seconds", settings.warmup_seconds},
          {"started_at", settings.started_at}};
}

LoadSettings read_settings(const Json& json) {
  LoadSettings settings;
  json.at("endpoint").get_to(settings.endpoint);
  json.at("method").get_to(settings.method);
  json.at("kind").get_to(settings.kind);
  json.at("codec").get_to(settings.codec);
  json.at("compressor").get_to(settings.compressor);
  json.at("arrivals").get_to(settings.arrivals);
  json.at("request_bytes").get_to(settings.request_bytes);
  json.at("threads").get_to(settings.threads);
  json.at("connections").get_to(settings.connections);
  json.at("outstanding").get_to(settings.outstanding);
  json.at("messages_per_stream").get_to(settings.messages);
  json.at("total").get_to(settings.total);
  json.at("timed_one_in").get_to(settings.sampling);
  json.at("rate").get_to(settings.rate);
  json.at("duration_seconds").get_to(settings.duration_seconds);
  json.at("warmup_seconds").get_to(settings.warmup_seconds);
  json.at("started_at").get_to(settings.started_at);
  return settings;
}

Json series_json(const std::vector<SeriesPoint>& series) {
  Json points = Json::array();
  for (const SeriesPoint& point : series) {
    points.push_back({{"at_seconds", point.at_seconds},
                      {"seconds", point.seconds},
                      {"calls", point.calls},
                      {"failed", point.failed},
                      {"messages", point.messages},
                      {"p50_ns", point.p50_ns},
                      {"p99_ns", point.p99_ns},
                      {"max_ns", point.max_ns}});
  }
  return points;
}

SeriesPoint read_point(const Json& json) {
  return {.at_seconds = json.at("at_seconds").get<double>(),
          .seconds = json.at("seconds").get<double>(),
          .calls = json.at("calls").get<std::uint64_t>(),
          .failed = json.at("failed").get<std::uint64_t>(),
          .messages = json.at("messages").get<std::uint64_t>(),
          .p50_ns = json.at("p50_ns").get<std::uint64_t>(),
          .p99_ns = json.at("p99_ns").get<std::uint64_t>(),
          .max_ns = json.at("max_ns").get<std::uint64_t>()};
}

Json errors_json(const std::vector<ErrorCount>& errors) {
  Json list = Json::array();
  for (const ErrorCount& each : errors) {
    list.push_back({{"code", to_string(each.code)},
                    {"number", static_cast<int>(each.code)},
                    {"count", each.count},
                    {"first", each.text}});
  }
  return list;
}

ErrorCount read_error(const Json& json) {
  const auto number = json.at("number").get<std::uint32_t>();
  return {is_valid_status_code(number) ? static_cast<StatusCode>(number) : StatusCode::unknown,
          json.at("count").get<std::uint64_t>(), json.at("first").get<std::string>()};
}

Json outcome_json(const LoadReport& report) {
  Json json{{"end", to_string(report.end)},
            {"seconds", report.seconds},
            {"calls", report.calls},
            {"failed", report.failed},
            {"messages", report.messages},
            {"unsent", report.unsent},
            {"unanswered", report.unanswered},
            {"waited", report.waited},
            {"late",
             {{"calls", report.late.calls},
              {"messages", report.late.messages},
              {"bytes_sent", report.late.bytes_sent},
              {"bytes_received", report.late.bytes_received}}},
            {"bytes_sent", report.bytes_sent},
            {"bytes_received", report.bytes_received},
            {"cpu_seconds", report.cpu_seconds},
            {"peak_memory_bytes", report.peak_memory_bytes}};
  if (report.server) {
    json["server"] = {{"process_id", report.server->process_id},
                      {"cpu_seconds", report.server->cpu_seconds},
                      {"seconds", report.server->seconds},
                      {"memory_bytes", report.server->memory_bytes}};
  }
  return json;
}

void read_outcome(const Json& json, LoadReport& report) {
  const auto end = json.at("end").get<std::string>();
  for (const RunEnd each : {RunEnd::complete, RunEnd::interrupted, RunEnd::gave_up}) {
    if (end == to_string(each)) report.end = each;
  }
  json.at("seconds").get_to(report.seconds);
  json.at("calls").get_to(report.calls);
  json.at("failed").get_to(report.failed);
  json.at("messages").get_to(report.messages);
  json.at("unsent").get_to(report.unsent);
  json.at("unanswered").get_to(report.unanswered);
  // Files of earlier versions lack this member.
  report.waited = json.value("waited", std::uint64_t{0});
  if (json.contains("late")) {
    const Json& late = json.at("late");
    late.at("calls").get_to(report.late.calls);
    late.at("messages").get_to(report.late.messages);
    late.at("bytes_sent").get_to(report.late.bytes_sent);
    late.at("bytes_received").get_to(report.late.bytes_received);
  }
  json.at("bytes_sent").get_to(report.bytes_sent);
  json.at("bytes_received").get_to(report.bytes_received);
  json.at("cpu_seconds").get_to(report.cpu_seconds);
  json.at("peak_memory_bytes").get_to(report.peak_memory_bytes);
  if (!json.contains("server")) return;
  const Json& server = json.at("server");
  report.server = ServerUsage{.process_id = server.at("process_id").get<std::uint64_t>(),
                              .cpu_seconds = server.at("cpu_seconds").get<double>(),
                              .seconds = server.at("seconds").get<double>(),
                              .memory_bytes = server.at("memory_bytes").get<std::uint64_t>()};
}

LoadReport read_report(const Json& json) {
  LoadReport report;
  report.settings = read_settings(json.at("settings"));
  read_outcome(json.at("outcome"), report);
  for (const Json& error : json.at("errors")) report.errors.push_back(read_error(error));
  for (const Json& point : json.at("series")) report.series.push_back(read_point(point));
  read_histogram(json.at("latency"), report.latency);
  read_histogram(json.at("uncorrected_latency"), report.uncorrected);
  return report;
}

/// Writes one line for each part, because histograms have thousands of numbers. Replaces invalid UTF-8, which a peer's
/// error text may contain.
std::string dump(const Json& json) {
  std::string text;
  for (const auto& [name, value] : json.items()) {
    text += (text.empty() ? "{\"" : ",\n \"") + name + "\": ";
    text += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return text + "}";
}

}  // namespace

std::string to_json(const LoadReport& report) {
  Json figures = Json::object();
  for (const Figure& figure : figures_of(report)) figures[figure.name] = figure.value;
  Json json{{mark, version},
            {"settings", settings_json(report.settings)},
            {"figures", std::move(figures)},
            {"outcome", outcome_json(report)},
            {"errors", errors_json(report.errors)},
            {"series", series_json(report.series)},
            {"latency", histogram_json(report.latency)},
            {"uncorrected_latency", histogram_json(report.uncorrected)}};
  return dump(json) + "\n";
}

Result<LoadReport> from_json(std::string_view text) {
  const auto refuse = [](const std::string& why) { return Status(StatusCode::invalid_argument, why); };
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return refuse("is not valid JSON");
  if (!json.is_object() || !json.contains(mark)) return refuse("is not a saved run of `trunkline bench`");
  if (json[mark] != version) return refuse("was saved by another version of `trunkline bench`");
  try {
    return read_report(json);
  } catch (const Json::exception& error) {
    return refuse(std::string("is not a complete saved run: ") + error.what());
  }
}

}  // namespace trunkline::load
