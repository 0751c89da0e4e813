// SPDX-License-Identifier: MIT
// The adaptive limit against the model of a server with a number of workers, in virtual time.
#include "server/adaptive_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace trunkline::server {

namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

/// Calls arrive at random, wait for one of the workers in a queue, and take a random time of exponential distribution.
/// Those over the limit are shed.
class QueueModel {
 public:
  struct Options {
    std::size_t workers = 16;
    double arrivals_per_second = 1000;
    double service_seconds = 0.02;
    unsigned seed = 1;
  };
  struct Sums {
    std::size_t served = 0;
    std::size_t shed = 0;
    std::size_t least_limit = SIZE_MAX;
    double limit_sum = 0;
    double latency_sum = 0;

    double mean_limit() const { return limit_sum / static_cast<double>(served); }
    double mean_latency() const { return latency_sum / static_cast<double>(served); }
  };

  QueueModel(AdaptiveLimit& limit, const Options& options)
      : limit_(limit), options_(options), random_(options.seed), free_workers_(options.workers) {}

  void set_service_seconds(double seconds) { options_.service_seconds = seconds; }
  void set_arrivals_per_second(double arrivals) { options_.arrivals_per_second = arrivals; }

  Sums run(double seconds) {
    Sums sums;
    const double end = now_ + seconds;
    while (now_ < end) {
      if (next_arrival_ <= next_end()) {
        arrive(sums);
      } else {
        end_call(sums);
      }
    }
    return sums;
  }

 private:
  struct Call {
    double arrived = 0;
    std::size_t in_flight = 0;
  };
  struct Running {
    double ends = 0;
    Call call;
    bool operator>(const Running& other) const { return ends > other.ends; }
  };

  double next_end() const { return running_.empty() ? 1e300 : running_.top().ends; }
  double random_time(double mean) { return std::exponential_distribution<double>(1 / mean)(random_); }
  void begin(const Call& call) {
    --free_workers_;
    running_.push({now_ + random_time(options_.service_seconds), call});
  }
  void arrive(Sums& sums) {
    now_ = next_arrival_;
    next_arrival_ = now_ + random_time(1 / options_.arrivals_per_second);
    if (in_flight_ >= limit_.limit()) {
      ++sums.shed;
      return;
    }
    const Call call{now_, ++in_flight_};
    if (free_workers_ > 0) {
      begin(call);
    } else {
      waiting_.push(call);
    }
  }
  void end_call(Sums& sums) {
    const Running ended = running_.top();
    running_.pop();
    now_ = ended.ends;
    ++free_workers_;
    --in_flight_;
    const double latency = now_ - ended.call.arrived;
    limit_.add(base::TimePoint(std::chrono::duration_cast<base::Duration>(Seconds(now_))),
               std::chrono::duration_cast<base::Duration>(Seconds(latency)), ended.call.in_flight);
    ++sums.served;
    sums.latency_sum += latency;
    sums.limit_sum += static_cast<double>(limit_.limit());
    sums.least_limit = std::min(sums.least_limit, limit_.limit());
    if (waiting_.empty()) return;
    const Call next = waiting_.front();
    waiting_.pop();
    begin(next);
  }

  AdaptiveLimit& limit_;
  Options options_;
  std::mt19937 random_;
  double now_ = 0;
  double next_arrival_ = 0;
  std::size_t in_flight_ = 0;
  std::size_t free_workers_;
  std::queue<Call> waiting_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
};

constexpr AdaptiveLimit::Options usual{.min = 4, .max = 10000, .window = 100ms, .tolerance = 0.25};

class AdaptiveLimitModel : public testing::TestWithParam<std::size_t> {};

TEST_P(AdaptiveLimitModel, ConvergesNearTheNumberOfWorkersUnderTwiceTheLoad) {
  const auto workers = GetParam();
  const auto capacity = static_cast<double>(workers) / 0.02;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    AdaptiveLimit limit(usual);
    QueueModel model(limit, {.workers = workers, .arrivals_per_second = 2 * capacity, .seed = seed});

    model.run(30);
    const QueueModel::Sums sums = model.run(60);

    EXPECT_GT(sums.mean_limit(), 0.9 * static_cast<double>(workers)) << "seed " << seed;
    EXPECT_LT(sums.mean_limit(), 2.0 * static_cast<double>(workers)) << "seed " << seed;
    EXPECT_GE(static_cast<double>(sums.least_limit), 0.4 * static_cast<double>(workers)) << "seed " << seed;
    EXPECT_GT(static_cast<double>(sums.served), 0.9 * capacity * 60) << "seed " << seed;
    EXPECT_LT(sums.mean_latency(), 2.2 * 0.02) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, AdaptiveLimitModel, testing::Values(8, 16, 64, 256));

TEST(AdaptiveLimit, ShedsNothingBelowTheCapacity) {
  AdaptiveLimit limit(usual);
  QueueModel model(limit, {.workers = 16, .arrivals_per_second = 400});

  model.run(30);
  const QueueModel::Sums sums = model.run(60);

  EXPECT_LT(static_cast<double>(sums.shed), 0.01 * static_cast<double>(sums.served));
}

TEST(AdaptiveLimit, FollowsASlowdownByTenAndRecovers) {
  AdaptiveLimit limit(usual);
  QueueModel model(limit, {.workers = 16, .arrivals_per_second = 1600});
  model.run(30);

  model.set_service_seconds(0.2);
  model.run(60);
  const QueueModel::Sums slow = model.run(120);
  model.set_service_seconds(0.02);
  model.run(30);
  const QueueModel::Sums again = model.run(60);

  EXPECT_GT(slow.mean_limit(), 0.9 * 16);
  EXPECT_LT(slow.mean_limit(), 2.0 * 16);
  EXPECT_GT(static_cast<double>(slow.served), 0.9 * 80 * 120) << "of 80 calls a second that the slow server can serve";
  EXPECT_GE(slow.least_limit, 4u);
  EXPECT_GT(again.mean_limit(), 0.9 * 16);
  EXPECT_LT(again.mean_limit(), 2.0 * 16);
  EXPECT_GT(static_cast<double>(again.served), 0.9 * 800 * 60);
  EXPECT_LT(again.mean_latency(), 2.2 * 0.02);
}

TEST(AdaptiveLimit, StaysWithinItsBounds) {
  AdaptiveLimit limit({.min = 8, .max = 12, .window = 100ms, .tolerance = 0.25});
  QueueModel narrow(limit, {.workers = 64, .arrivals_per_second = 5000});
  const QueueModel::Sums sums = narrow.run(30);
  const std::size_t above = limit.limit();
  narrow.set_service_seconds(2);
  narrow.run(300);

  EXPECT_EQ(above, 12u);
  EXPECT_EQ(sums.least_limit, 8u) << "it starts with the lowest one";
  EXPECT_GE(limit.limit(), 8u);
  EXPECT_LE(limit.limit(), 12u);
}

TEST(AdaptiveLimit, DoesNotRiseWhileItIsNotUsed) {
  AdaptiveLimit limit(usual);
  base::TimePoint now{};

  for (int i = 0; i < 10000; ++i) limit.add(now += 10ms, 1ms, 1);

  EXPECT_EQ(limit.limit(), usual.min);
  EXPECT_EQ(limit.baseline(), 1ms);
}

TEST(AdaptiveLimit, WaitsForTheWholeWindowAndEnoughCalls) {
  AdaptiveLimit limit(usual);
  base::TimePoint now{};

  for (std::size_t i = 0; i < 1000; ++i) limit.add(now += 50us, 1ms, 4);
  const std::size_t within_window = limit.limit();
  limit.add(now += 100ms, 1ms, 4);
  const std::size_t after_window = limit.limit();
  for (std::size_t i = 1; i < AdaptiveLimit::min_samples; ++i) limit.add(now += 100ms, 1ms, 4);
  const std::size_t too_few = limit.limit();

  EXPECT_EQ(within_window, 4u);
  EXPECT_EQ(after_window, 8u);
  EXPECT_EQ(too_few, 8u);
}

}  // namespace

}  // namespace trunkline::server
