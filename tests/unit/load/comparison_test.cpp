// SPDX-License-Identifier: MIT
// What two runs are told apart by.
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

TEST(Comparison, TellsWhatIsBeyondTheSpread) {
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

TEST(Comparison, KnowsNothingOfTheSpreadOfTooShortARun) {
  const Comparison comparison = compare({run_of({100, 110}, 1000), run_of({900, 910, 890}, 1000)});

  EXPECT_EQ(figure(comparison, "calls_per_second").verdicts.front(), Verdict::unknown);
  EXPECT_EQ(figure(comparison, "p99.9_ms").verdicts.front(), Verdict::unknown);
}

TEST(Comparison, NamesSettingsThatDiffer) {
  std::vector<LoadReport> runs{run_of({1, 1, 1}, 1), run_of({1, 1, 1}, 1)};
  runs[1].settings.connections = 8;

  EXPECT_EQ(compare(runs).differences, std::vector<std::string>{"connections: 1, 8"});
}

TEST(Comparison, HasNoRatioToNothing) {
  std::vector<LoadReport> runs{run_of({1, 1, 1}, 1), run_of({1, 1, 1}, 1)};
  runs[1].failed = 5;

  const Comparison comparison = compare(runs);
  EXPECT_TRUE(std::isnan(figure(comparison, "failed_calls").ratios.front()));
  EXPECT_EQ(figure(comparison, "failed_calls").values[1], 5);
}

}  // namespace
}  // namespace trunkline::load
