// SPDX-License-Identifier: MIT
// The comparison of two runs and more.
#include "load/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace trunkline::load {
namespace {

LoadReport run_of(const std::vector<std::uint64_t>& rates, std::uint64_t latency) {
  LoadReport report;
  report.settings.kind = "unary";
  report.settings.connections = 1;
  double at = 0;
  for (const std::uint64_t rate : rates) {
    report.series.push_back({++at, 1.0, rate, 0, 0, latency, latency * 2, latency * 3});
    report.calls += rate;
  }
  report.seconds = at;
  report.latency.record(latency, report.calls);
  return report;
}

const ComparedFigure& figure(const Comparison& comparison, const std::string& name) {
  return *std::find_if(comparison.figures.begin(), comparison.figures.end(),
                       [&](const ComparedFigure& each) { return each.name == name; });
}

TEST(Comparison, FindsDifferencesBeyondTheSpread) {
  const std::vector<LoadReport> runs{run_of({100, 110, 90}, 1000), run_of({200, 210, 190}, 500),
                                     run_of({50, 55, 45}, 2000), run_of({105, 115, 95}, 1000)};

  const Comparison comparison = compare(runs);

  const ComparedFigure& rate = figure(comparison, "calls_per_second");
  EXPECT_EQ(rate.verdicts, (std::vector{Verdict::better, Verdict::worse, Verdict::within}));
  EXPECT_DOUBLE_EQ(rate.ratios[0], 2);
  EXPECT_DOUBLE_EQ(rate.ratios[1], 0.5);
  EXPECT_NEAR(rate.ratios[2], 1.05, 1e-9);
  EXPECT_EQ(figure(comparison, "p50_ms").verdicts, (std::vector{Verdict::better, Verdict::worse, Verdict::within}));
}

TEST(Comparison, HasNoVerdictOnARunThatIsTooShort) {
  const Comparison comparison = compare({run_of({100, 110}, 1000), run_of({900, 910, 890}, 1000)});

  EXPECT_EQ(figure(comparison, "calls_per_second").verdicts.front(), Verdict::unknown);
  EXPECT_EQ(figure(comparison, "p99.9_ms").verdicts.front(), Verdict::unknown);
}

TEST(Comparison, NamesSettingsThatDiffer) {
  std::vector<LoadReport> runs{run_of({1, 1, 1}, 1), run_of({1, 1, 1}, 1)};
  runs[1].settings.connections = 8;

  EXPECT_EQ(compare(runs).differences, std::vector<std::string>{"connections: 1, 8"});
}

TEST(Comparison, NamesOtherDifferences) {
  std::vector<LoadReport> runs{run_of({1, 1, 1}, 1), run_of({1, 1, 1}, 1)};
  runs[0].settings.duration_seconds = 5;
  runs[1].settings.total = 1000;
  runs[0].settings.warmup_seconds = 0.3;
  runs[1].settings.sampling = 16;
  runs[0].settings.rate = 0.25;
  runs[1].end = RunEnd::gave_up;
  runs[1].failed = 5;

  const Comparison comparison = compare(runs);

  EXPECT_EQ(comparison.differences,
            (std::vector<std::string>{"rate: 0.25, 0", "duration: 5 s, none", "total: none, 1000",
                                      "warm-up: 0.3 s, none", "calls per timed call: 1, 16"}));
  EXPECT_EQ(comparison.outcomes, (std::vector<std::string>{"end: complete, gave_up", "failed calls: 0, 5"}));
}

TEST(Comparison, HasTheFiguresOfAllRuns) {
  std::vector<LoadReport> runs{run_of({1, 1, 1}, 1), run_of({1, 1, 1}, 1)};
  runs[0].latency.clear();
  runs[1].uncorrected.record(1, 10);

  const Comparison comparison = compare(runs);

  const ComparedFigure& tail = figure(comparison, "p99_ms");
  EXPECT_TRUE(std::isnan(tail.values[0]));
  EXPECT_GT(tail.values[1], 0);
  EXPECT_TRUE(std::isnan(tail.ratios.front()));
  EXPECT_EQ(tail.verdicts.front(), Verdict::unknown);
  EXPECT_GT(figure(comparison, "uncorrected_p99_ms").values[1], 0);
  EXPECT_EQ(comparison.figures.front().name, "calls_per_second");
}

TEST(Comparison, IgnoresSecondsWithoutLatencyInItsSpread) {
  std::vector<LoadReport> runs{run_of({100, 100, 100, 0}, 1000), run_of({100, 100, 100}, 1100)};
  runs[0].series.back().p50_ns = runs[0].series.back().p99_ns = runs[0].series.back().max_ns = 0;

  EXPECT_EQ(figure(compare(runs), "p50_ms").verdicts.front(), Verdict::worse);
}

TEST(Comparison, HasNoRatioToZero) {
  std::vector<LoadReport> runs{run_of({1, 1, 1}, 1), run_of({1, 1, 1}, 1)};
  runs[1].failed = 5;

  const Comparison comparison = compare(runs);
  EXPECT_TRUE(std::isnan(figure(comparison, "failed_calls").ratios.front()));
  EXPECT_EQ(figure(comparison, "failed_calls").values[1], 5);
}

}  // namespace
}  // namespace trunkline::load
