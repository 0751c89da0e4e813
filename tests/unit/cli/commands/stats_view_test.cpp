// SPDX-License-Identifier: MIT
// Rates between samples.
#include "cli/commands/stats_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::cli::commands {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

void add_bucket(v1::LatencyHistogram& histogram, std::uint64_t upper_ns, std::uint64_t count) {
  auto& bucket = *histogram.add_buckets();
  bucket.set_upper_ns(upper_ns);
  bucket.set_count(count);
  histogram.set_count(histogram.count() + count);
  histogram.set_max_ns(upper_ns);
}

v1::ServerStatistics sample(std::uint64_t seconds, std::uint64_t ok, std::uint64_t failed) {
  v1::ServerStatistics made;
  made.set_process_id(7);
  made.set_uptime_ns(seconds * 1'000'000'000);
  auto& method = *made.add_methods();
  method.set_method("add");
  (*method.mutable_finished_by_code())[0] = ok;
  (*method.mutable_finished_by_code())[5] = failed;
  method.set_bytes_sent(1000 * ok);
  add_bucket(*method.mutable_latency(), 1000, ok);
  return made;
}

std::string squeezed(const std::string& line) {
  std::string result;
  for (const char byte : line) {
    if (byte != ' ' || !result.ends_with(' ')) result += byte;
  }
  return result;
}

TEST(StatsView, TheFirstSampleHasNoRates) {
  StatsView view;

  const auto lines = view.show(sample(10, 100, 10), 0, 0);

  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(squeezed(lines[1]), "METHOD CALLS/S IN FLIGHT ERRORS/S P50 P99 IN B/S OUT B/S");
  EXPECT_EQ(squeezed(lines[2]), "add - 0 - 1.00us 1.00us - -");
}

TEST(StatsView, LaterOnesAreBetweenSamples) {
  StatsView view;
  (void)view.show(sample(10, 100, 10), 0, 0);

  const auto lines = view.show(sample(12, 104, 10), 0, 0);

  EXPECT_EQ(squeezed(lines[2]), "add 2 0 0 1.00us 1.00us 0 2.00k");
}

TEST(StatsView, AProcessThatWasStartedAnewBeginsAgain) {
  StatsView view;
  (void)view.show(sample(10, 100, 10), 0, 0);
  v1::ServerStatistics other = sample(20, 40, 0);
  other.set_process_id(8);

  EXPECT_EQ(squeezed(view.show(other, 0, 0)[2]), "add - 0 - 1.00us 1.00us - -");
}

TEST(StatsView, LoopLagIsOfTheTimeBetweenSamples) {
  StatsView view;
  v1::ServerStatistics first = sample(10, 100, 10);
  add_bucket(*first.add_loops()->mutable_lag(), 5'000'000, 1000);
  v1::ServerStatistics second = sample(12, 104, 10);
  auto& lag = *second.add_loops()->mutable_lag();
  add_bucket(lag, 2000, 3);
  add_bucket(lag, 5'000'000, 1000);

  EXPECT_THAT(view.show(first, 0, 0)[0], HasSubstr("loop lag 5.00ms"));
  EXPECT_THAT(view.show(second, 0, 0)[0], HasSubstr("loop lag 2.00us"));
}

TEST(StatsView, ShowsWhatTheServerHoldsForItsClients) {
  StatsView view;
  v1::ServerStatistics first = sample(10, 100, 10);
  v1::ServerStatistics second = sample(12, 100, 10);
  second.set_memory_used_bytes(3'000'000);
  second.set_memory_max_bytes(1'000'000'000);

  EXPECT_THAT(view.show(first, 0, 0)[0], testing::Not(HasSubstr("held"))) << "an older server";
  EXPECT_THAT(view.show(second, 0, 0)[0], HasSubstr("  held 3.00MB of 1.00GB"));
}

TEST(StatsView, ShowsOverloadOnceThereIsAny) {
  StatsView view;
  v1::ServerStatistics overloaded = sample(12, 100, 10);
  overloaded.set_calls_refused(9);
  overloaded.set_calls_shed(7);
  overloaded.set_adaptive_limit(40);

  EXPECT_THAT(view.show(sample(10, 100, 10), 0, 0)[0],
              testing::Not(testing::AnyOf(HasSubstr("shed"), HasSubstr("limit"))));
  EXPECT_THAT(view.show(overloaded, 0, 0)[0], HasSubstr("  refused 9 (7 shed)  limit 40  "));
}

TEST(StatsView, TotalsAreNumbers) {
  EXPECT_EQ(squeezed(StatsView::totals(sample(10, 100, 10), 0)[2]), "add 110 0 10 1.00us 1.00us 0 100k");
}

TEST(StatsView, NoMoreLinesThanFit) {
  StatsView view;
  v1::ServerStatistics many = sample(1, 1, 0);
  for (int i = 0; i < 20; ++i) many.add_methods()->set_method("m" + std::to_string(i));

  const auto lines = view.show(many, 40, 10);

  ASSERT_THAT(lines, SizeIs(10));
  EXPECT_EQ(lines.back(), "... and 14 more");
}

TEST(StatsView, NamesDoNotSteerTheTerminal) {
  v1::ServerStatistics evil = sample(1, 1, 0);
  evil.mutable_methods(0)->set_method("a\x1b[2J");

  EXPECT_THAT(StatsView::totals(evil, 0)[2], HasSubstr("a\\x1b[2J"));
}

TEST(Quantile, IsOfWhatHasBeenAdded) {
  v1::LatencyHistogram before;
  add_bucket(before, 100, 50);
  v1::LatencyHistogram now;
  add_bucket(now, 100, 60);
  add_bucket(now, 200, 89);
  add_bucket(now, 900, 1);

  EXPECT_EQ(quantile(before, now, 0.05), 100ns);
  EXPECT_EQ(quantile(before, now, 0.5), 200ns);
  EXPECT_EQ(quantile(before, now, 0.999), 900ns);
  EXPECT_LT(quantile(now, now, 0.5), 0ns);
}

TEST(Quantile, WithoutBucketsIsTheServersOwn) {
  v1::LatencyHistogram now;
  EXPECT_LT(quantile({}, now, 0.5), 0ns);

  now.set_count(3);
  now.set_p50_ns(5);
  now.set_p99_ns(9);

  EXPECT_EQ(quantile({}, now, 0.5), 5ns);
  EXPECT_EQ(quantile({}, now, 0.99), 9ns);
}

}  // namespace
}  // namespace trunkline::cli::commands
