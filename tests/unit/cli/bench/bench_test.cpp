// SPDX-License-Identifier: MIT
// What `trunkline bench` reads and shows: presets, delays, reports, comparisons, sparklines.
#include "cli/bench/bench_compare.h"
#include "cli/bench/bench_panel.h"
#include "cli/bench/bench_presets.h"
#include "cli/bench/bench_serve.h"
#include "cli/bench/bench_text.h"
#include "cli/process/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace trunkline::cli::bench {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const process::Failure& failure) {
    EXPECT_EQ(failure.exit_status(), process::exit_status::usage);
    return failure.what();
  }
  return "";
}

TEST(BenchPresets, AreTheLoadsOfTheirSystems) {
  const BenchSettings fifo = find_preset("hslam:8c_pb"), one_way = find_preset("hslam:1c_mbn");

  EXPECT_EQ(fifo.connections, 8U);
  EXPECT_EQ(fifo.outstanding_per_connection, 512U);
  EXPECT_TRUE(fifo.is_ordered);
  EXPECT_EQ(one_way.kind, "one-way");
}

TEST(BenchPresets, AGridCellIsItsNumbers) {
  const BenchSettings cell = find_preset("exposed:1024/10/5000"), small = find_preset("exposed:8/10/1");

  EXPECT_EQ(cell.bytes, 1024U);
  EXPECT_EQ(cell.connections, 10U);
  EXPECT_EQ(cell.outstanding, 5000U);
  // A connection without a call is none of the load.
  EXPECT_EQ(small.connections, 1U);
}

TEST(BenchPresets, AGridCellHasTheBoundsOfTheOptions) {
  EXPECT_EQ(find_preset("exposed:1073741824/100000/1048576").bytes, 1U << 30);
  for (const char* const wrong : {"exposed:1073741825/1/1", "exposed:18446744073709551615/1/1"}) {
    EXPECT_THAT(refusal([&] { find_preset(wrong); }), HasSubstr("BYTES may be at most 1073741824")) << wrong;
  }
  EXPECT_THAT(refusal([] { find_preset("exposed:8/100001/1"); }), HasSubstr("CONNECTIONS may be at most 100000"));
  EXPECT_THAT(refusal([] { find_preset("exposed:8/1/1048577"); }), HasSubstr("CALLS may be at most 1048576"));
}

TEST(BenchPresets, RefuseOthersWithNamesThatAreNear) {
  EXPECT_THAT(refusal([] { find_preset("hslam:8cm"); }), HasSubstr("did you mean 'hslam:8c', 'hslam:8c_m'"));
  for (const char* const wrong : {"exposed:", "exposed:8", "exposed:8/1/", "exposed:a/b/c", "exposed:8/1/5 "}) {
    EXPECT_THAT(refusal([&] { find_preset(wrong); }), HasSubstr("a cell is")) << wrong;
  }
}

TEST(BenchSettings, WhatIsSaidHidesThePreset) {
  BenchSettings said;
  said.outstanding = 3;
  said.total = 10;

  said.fill_from(find_preset("contest:2"));

  EXPECT_EQ(said.outstanding, 3U);
  EXPECT_FALSE(said.outstanding_per_connection.has_value());
  EXPECT_FALSE(said.duration.has_value());
  EXPECT_EQ(said.connections, 20U);
}

TEST(ParseDelays, TakesOneOrShares) {
  EXPECT_EQ(parse_delays("2ms").next(), 2ms);
  EXPECT_EQ(parse_delays("100%:3ms").next(), 3ms);
  EXPECT_TRUE(parse_delays("").is_none());
  EXPECT_FALSE(parse_delays("99.5%:1ms,0.5%:1s").is_none());
}

TEST(ParseDelays, RefusesTheRest) {
  for (const char* const wrong : {"fast", "50%:1ms", "60%:1ms,60%:2ms", "%:1ms", "-5%:1ms,105%:2ms", "50%:1ms,"}) {
    EXPECT_NE(refusal([&] { parse_delays(wrong); }), "") << wrong;
  }
}

TEST(Sparkline, IsRelativeToTheLargest) {
  EXPECT_EQ(sparkline({}), "");
  EXPECT_EQ(sparkline({0, 0}), "▁▁");
  EXPECT_EQ(sparkline({0, 50, 100}), "▁▅█");
}

TEST(BenchText, TellsWhatCameAndWhatDidNot) {
  const auto report = std::make_unique<load::LoadReport>();
  report->settings.kind = "unary";
  report->settings.endpoint = "tcp://here:1";
  report->settings.sampling = 16;
  report->seconds = 2;
  report->calls = 3000;
  report->failed = 1000;
  report->unanswered = 7;
  report->errors = {{StatusCode::not_found, 1000, "no \x1b[31msuch"}};
  report->latency.record(1'500'000, 200);

  const std::string text = bench_text(*report);

  EXPECT_THAT(text, HasSubstr("calls      1.50k/s (3000 in 2.00s)"));
  EXPECT_THAT(text, HasSubstr("failed     1000 (25 %)"));
  EXPECT_THAT(text, HasSubstr("not_found"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("7 calls had no response"));
  EXPECT_THAT(text, HasSubstr("one call in 16 was timed"));
  EXPECT_THAT(text, HasSubstr("1.50ms"));
}

TEST(BenchText, TellsWhatCameTooLateForTheRate) {
  const auto report = std::make_unique<load::LoadReport>();
  report->settings.kind = "unary";
  report->settings.rate = 2000;
  report->seconds = 2;
  report->calls = 3000;
  report->late.calls = 1000;
  report->waited = 17;

  const std::string text = bench_text(*report);

  EXPECT_THAT(text, HasSubstr("calls      1.00k/s (2000 in 2.00s)"));
  EXPECT_THAT(text, HasSubstr("1000 calls ended after the run"));
  EXPECT_THAT(text, HasSubstr("17 of the latencies are waiting times of calls without a response"));
}

TEST(BytesText, HasUnits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(12'300'000), "12.3 MB");
}

TEST(ComparisonText, HasAColumnForEachRun) {
  load::Comparison comparison;
  comparison.figures.push_back({"p99_ms", {1, 2, 0.5}, {2, 0.5}, {load::Verdict::worse, load::Verdict::better}});
  comparison.differences = {"threads: 1, 2, 3"};
  comparison.outcomes = {"end: complete, gave_up, complete"};

  const std::string text = comparison_text(comparison, {"before", "after", "later"});

  EXPECT_THAT(text, HasSubstr("different load: threads: 1, 2, 3\n"));
  EXPECT_THAT(text, HasSubstr("different outcome: end: complete, gave_up, complete\n"));
  EXPECT_THAT(text, HasSubstr("2.000x - worse"));
  EXPECT_THAT(text, HasSubstr("0.500x + better"));
  EXPECT_THAT(text, HasSubstr("later ratio"));
}

}  // namespace
}  // namespace trunkline::cli::bench
