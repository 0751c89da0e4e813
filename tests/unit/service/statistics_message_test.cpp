// SPDX-License-Identifier: MIT
// What of statistics is sent again.
#include "service/statistics_message.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::service {

namespace {

using Counts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

void add_method(const std::string& name, const Counts& counts, v1::ServerStatistics& out) {
  v1::MethodStatistics& method = *out.add_methods();
  method.set_method(name);
  for (const auto& [upper, count] : counts) {
    v1::LatencyHistogram::Bucket& bucket = *method.mutable_latency()->add_buckets();
    bucket.set_upper_ns(upper);
    bucket.set_count(count);
  }
}

Counts counts_of(const v1::MethodStatistics& method) {
  Counts counts;
  for (const auto& bucket : method.latency().buckets()) counts.emplace_back(bucket.upper_ns(), bucket.count());
  return counts;
}

TEST(StatisticsMessage, LosesTheBucketsThatHaveNotChanged) {
  v1::ServerStatistics before;
  add_method("a", {{100, 1}, {200, 2}, {400, 4}}, before);
  add_method("idle", {{100, 1}}, before);
  v1::ServerStatistics now;
  add_method("new", {{100, 1}}, now);
  add_method("a", {{50, 1}, {100, 1}, {200, 3}, {300, 1}, {400, 4}, {500, 1}}, now);
  add_method("idle", {{100, 1}}, now);

  remove_unchanged_buckets(before, now);

  EXPECT_EQ(counts_of(now.methods(0)), (Counts{{100, 1}}));
  EXPECT_EQ(counts_of(now.methods(1)), (Counts{{50, 1}, {200, 3}, {300, 1}, {500, 1}}));
  EXPECT_EQ(counts_of(now.methods(2)), Counts());
}

TEST(StatisticsMessage, KeepsAllBucketsOfAFirstMessage) {
  v1::ServerStatistics now;
  add_method("a", {{100, 1}, {200, 2}}, now);

  remove_unchanged_buckets({}, now);

  EXPECT_EQ(counts_of(now.methods(0)).size(), 2U);
}

}  // namespace

}  // namespace trunkline::service
