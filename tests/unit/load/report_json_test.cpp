// SPDX-License-Identifier: MIT
// Runs that are saved and read back, and lines of CSV.
#include "load/report_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::load {
namespace {

std::unique_ptr<LoadReport> full_report() {
  auto report = std::make_unique<LoadReport>();
  report->settings = {.endpoint = "tcp://127.0.0.1:1",
                      .method = "a.B/C, \"quoted\"",
                      .kind = "unary",
                      .codec = "json",
                      .compressor = "zstd",
                      .arrivals = "poisson",
                      .request_bytes = 8,
                      .threads = 2,
                      .connections = 3,
                      .outstanding = 500,
                      .messages = 0,
                      .total = 0,
                      .sampling = 16,
                      .rate = 1234.5,
                      .duration_seconds = 3,
                      .warmup_seconds = 0.3,
                      .started_at = "2026-11-22T08:24:56Z"};
  report->end = RunEnd::interrupted;
  report->seconds = 2.5;
  report->calls = 1000;
  report->failed = 7;
  report->unsent = 5;
  report->unanswered = 4;
  report->waited = 3;
  report->late = {.calls = 20, .messages = 0, .bytes_sent = 160, .bytes_received = 161};
  report->bytes_sent = 8000;
  report->bytes_received = 8001;
  report->errors = {{StatusCode::not_found, 5, "no \xff such"}, {StatusCode::unavailable, 2, "gone"}};
  report->series = {{1.0, 1.0, 400, 3, 0, 100, 200, 300}, {2.0, 1.0, 410, 4, 0, 110, 210, 310}};
  report->cpu_seconds = 1.25;
  report->peak_memory_bytes = 1 << 20;
  report->server = ServerUsage{.process_id = 42, .cpu_seconds = 0.5, .seconds = 2.6, .memory_bytes = 1 << 21};
  std::mt19937_64 generator(3);
  std::exponential_distribution<double> latencies(1e-5);
  for (int count = 0; count < 1000; ++count) {
    const auto latency = static_cast<std::uint64_t>(latencies(generator)) + 77;
    report->latency.record(latency);
    report->uncorrected.record(latency / 2);
  }
  return report;
}

TEST(ReportJson, IsReadBackUnchanged) {
  const auto report = full_report();

  const Result<LoadReport> back = from_json(to_json(*report));

  ASSERT_TRUE(back.is_ok()) << back.status().to_string();
  const auto figures = figures_of(*report), read = figures_of(*back);
  ASSERT_EQ(figures.size(), read.size());
  for (std::size_t index = 0; index < figures.size(); ++index) {
    EXPECT_EQ(figures[index].name, read[index].name);
    EXPECT_NEAR(figures[index].value, read[index].value, figures[index].value * 2e-3) << figures[index].name;
  }
  for (const double q : {0.0, 0.5, 0.99, 1.0}) EXPECT_EQ(back->latency.quantile(q), report->latency.quantile(q));
  EXPECT_EQ(back->latency.count(), report->latency.count());
  EXPECT_EQ(back->latency.max(), report->latency.max());
  EXPECT_EQ(back->latency.min(), report->latency.min());
  EXPECT_EQ(back->uncorrected.quantile(0.9), report->uncorrected.quantile(0.9));
  EXPECT_EQ(back->series, report->series);
  EXPECT_EQ(back->end, report->end);
  EXPECT_EQ(back->late, report->late);
  EXPECT_EQ(back->waited, 3U);
  EXPECT_EQ(back->errors.size(), 2U);
  EXPECT_EQ(back->errors[1], report->errors[1]);
  EXPECT_EQ(back->settings.method, report->settings.method);
  EXPECT_EQ(back->server->process_id, 42U);
  EXPECT_EQ(to_json(*back), to_json(*from_json(to_json(*back))));
}

TEST(ReportJson, OfARunWithoutCallsIsReadBack) {
  const auto report = std::make_unique<LoadReport>();

  const Result<LoadReport> back = from_json(to_json(*report));

  ASSERT_TRUE(back.is_ok()) << back.status().to_string();
  EXPECT_EQ(back->latency.count(), 0U);
}

TEST(ReportJson, RefusesOtherFiles) {
  EXPECT_EQ(from_json("").status().message(), "is not valid JSON");
  EXPECT_EQ(from_json("[1]").status().message(), "is not a saved run of `trunkline bench`");
  EXPECT_EQ(from_json("{\"a\": 1}").status().message(), "is not a saved run of `trunkline bench`");
  EXPECT_EQ(from_json("{\"trunkline_bench\": 99}").status().message(),
            "was saved by another version of `trunkline bench`");
  EXPECT_EQ(from_json("{\"trunkline_bench\": 1}").status().code(), StatusCode::invalid_argument);
}

TEST(ReportJson, RefusesEveryIncompleteFile) {
  const std::string text = to_json(*full_report());

  for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
    EXPECT_FALSE(from_json(text.substr(0, length)).is_ok()) << length;
  }
}

using Columns = std::vector<std::pair<std::string, std::string>>;

/// The values of a line without commas inside of values.
Columns columns_of(const LoadReport& report) {
  std::istringstream lines(to_csv(report));
  std::string line, name, value;
  std::getline(lines, line);
  std::istringstream names(line);
  std::getline(lines, line);
  std::istringstream values(line);
  Columns columns;
  while (std::getline(names, name, ',')) {
    value.clear();
    std::getline(values, value, ',');
    columns.emplace_back(name, value);
  }
  return columns;
}

std::string value_of(const Columns& columns, const std::string& name) {
  for (const auto& [each, value] : columns) {
    if (each == name) return value;
  }
  return "no such column";
}

TEST(ReportCsv, HasTheSameColumnsForEveryRun) {
  const auto full = full_report(), empty = std::make_unique<LoadReport>(), streams = full_report();
  full->settings.method = "a.B/C";
  empty->settings.kind = "one-way";
  streams->settings.method = "a.B/C";
  streams->settings.kind = "bidi-stream";
  streams->settings.messages = 10;
  streams->messages = 5000;
  const Columns of_full = columns_of(*full), of_empty = columns_of(*empty), of_streams = columns_of(*streams);

  ASSERT_EQ(of_full.size(), of_empty.size());
  ASSERT_EQ(of_full.size(), of_streams.size());
  for (std::size_t index = 0; index < of_full.size(); ++index) {
    EXPECT_EQ(of_full[index].first, of_empty[index].first);
    EXPECT_EQ(of_full[index].first, of_streams[index].first);
  }
  EXPECT_EQ(value_of(of_full, "arrivals"), "poisson");
  EXPECT_EQ(value_of(of_full, "compressor"), "zstd");
  EXPECT_EQ(value_of(of_full, "duration_seconds"), "3");
  EXPECT_EQ(value_of(of_full, "messages_per_second"), "");
  EXPECT_NE(value_of(of_full, "client_cpu_us_per_call"), "");
  EXPECT_EQ(value_of(of_empty, "p99_ms"), "");
  EXPECT_EQ(value_of(of_empty, "server_memory_mb"), "");
  EXPECT_EQ(value_of(of_streams, "messages_per_second"), "2000");
  EXPECT_EQ(value_of(of_streams, "client_cpu_us_per_message"), "250");
  EXPECT_EQ(value_of(of_streams, "client_cpu_us_per_call"), "");
}

TEST(ReportCsv, HasEveryFigureInItsOrder) {
  for (const char* const kind : {"unary", "server-stream", "bidi-stream"}) {
    const auto report = full_report();
    report->settings.kind = kind;
    report->settings.messages = 10;
    const std::vector<std::string> names = figure_names();
    auto at = names.begin();

    for (const Figure& figure : figures_of(*report)) {
      at = std::find(at, names.end(), figure.name);
      ASSERT_NE(at, names.end()) << figure.name;
    }
  }
}

TEST(ReportCsv, HasAValueForEachName) {
  std::istringstream lines(to_csv(*full_report()));
  std::string names, values, rest;
  std::getline(lines, names);
  std::getline(lines, values);

  EXPECT_FALSE(std::getline(lines, rest));
  EXPECT_NE(values.find("\"a.B/C, \"\"quoted\"\"\""), std::string::npos);
  EXPECT_EQ(names.substr(0, 27), "started_at,endpoint,method,");
  // One more comma, inside the quotes.
  EXPECT_EQ(std::count(names.begin(), names.end(), ',') + 1, std::count(values.begin(), values.end(), ','));
}

}  // namespace
}  // namespace trunkline::load
