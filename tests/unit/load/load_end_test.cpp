// SPDX-License-Identifier: MIT
// The end of runs: calls that fail last, that have a late response or none, and how they are counted.
#include "served_echo.h"

#include <gtest/gtest.h>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <thread>

namespace trunkline::load {
namespace {

/// Echoes after a delay that is computed from the number of the call, from 0.
class Numbered {
 public:
  struct Response {
    std::chrono::milliseconds delay{0};
    Status status{};
  };
  using Choice = std::function<Response(std::uint64_t)>;

  explicit Numbered(Choice choice, std::chrono::milliseconds fence = 0ms) : choice_(std::move(choice)), fence_(fence) {
    server_.handle<Slice, Slice>(
        echo_method, [this](const Slice& request, Slice& response, ServerContext&) -> asio::awaitable<Status> {
          const Response chosen = choice_(calls_++);
          if (chosen.delay > 0ms) co_await wait(chosen.delay);
          response = request;
          co_return chosen.status;
        });
    server_.handle<Slice, Slice>(fence_method, [this](const Slice&, Slice&, ServerContext&) -> asio::awaitable<Status> {
      ++fences_;
      if (fence_ > 0ms) co_await wait(fence_);
      co_return Status::ok();
    });
    endpoint_ = server_.listen("tcp://127.0.0.1:0").to_string();
    EXPECT_TRUE(server_.start().is_ok());
  }
  const std::string& endpoint() const { return endpoint_; }
  /// That have arrived, without the fences.
  std::uint64_t calls() const { return calls_; }
  std::uint64_t fences() const { return fences_; }

 private:
  static asio::awaitable<void> wait(std::chrono::milliseconds length) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    timer.expires_after(length);
    co_await timer.async_wait(asio::use_awaitable);
  }

  Choice choice_;
  std::chrono::milliseconds fence_;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::uint64_t> fences_{0};
  Server server_;
  std::string endpoint_;
};

/// A run that is stopped once `must_stop` says so, if it has not ended by itself.
std::unique_ptr<LoadReport> run_until(LoadPlan plan, const std::function<bool()>& must_stop) {
  LoadRun run(std::move(plan));
  std::atomic<bool> is_over{false};
  std::thread stopper([&] {
    while (!is_over && !must_stop()) std::this_thread::sleep_for(5ms);
    if (!is_over) run.stop();
  });
  Result<LoadReport> report = run.run({});
  is_over = true;
  stopper.join();
  EXPECT_TRUE(report.is_ok()) << report.status().to_string();
  return std::make_unique<LoadReport>(report.is_ok() ? *std::move(report) : LoadReport());
}

std::unique_ptr<LoadReport> run_at_most(LoadPlan plan, std::chrono::milliseconds length) {
  const Clock::time_point end = Clock::now() + length;
  return run_until(std::move(plan), [end] { return Clock::now() >= end; });
}

TEST(LoadEnd, ComesEvenIfTheLastCallOfATotalIsRefused) {
  Numbered served([](std::uint64_t number) {
    return Numbered::Response{.status = number == 2 ? Status(StatusCode::unavailable, "gone") : Status::ok()};
  });
  LoadPlan plan = plan_for(served.endpoint());
  plan.warmup = plan.duration = 0ms;
  plan.total = 3;

  const auto report = run_at_most(std::move(plan), 60s);

  EXPECT_EQ(report->end, RunEnd::complete);
  EXPECT_EQ(report->calls, 2U);
  EXPECT_EQ(report->failed, 1U);
}

TEST(LoadEnd, ComesEvenIfAllCallsOfATotalAreRefused) {
  Numbered served([](std::uint64_t) { return Numbered::Response{.status = {StatusCode::unavailable, "gone"}}; });
  LoadPlan plan = plan_for(served.endpoint(), CallKind::unary);
  plan.warmup = plan.duration = 0ms;
  plan.total = 6;
  plan.outstanding = 4;

  const auto report = run_at_most(std::move(plan), 60s);

  EXPECT_EQ(report->end, RunEnd::complete);
  EXPECT_EQ(report->failed, 6U);
}

// The first half has its responses at once, and the rest not before the run is over: it is stopped once the first half
// is in, long before the grace period ends.
TEST(LoadEnd, CountsWaitsOfCallsWithoutAResponseAtARate) {
  Numbered served([](std::uint64_t number) { return Numbered::Response{.delay = number < 50 ? 0ms : 60s}; });
  LoadPlan plan = plan_for(served.endpoint());
  plan.warmup = 0ms;
  plan.duration = 500ms;
  plan.rate = 200;
  plan.outstanding = 200;
  plan.grace = 30s;
  LoadRun run(plan);

  const Result<LoadReport> made = run.run([&run](const Progress& now) {
    if (now.phase == Progress::Phase::draining && now.ended == 50 && now.open == 50) run.stop();
  });

  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  const LoadReport* const report = &*made;
  EXPECT_EQ(report->calls, 50U);
  EXPECT_EQ(report->unanswered, 50U);
  EXPECT_EQ(report->latency.count(), 100U);
  // The second call of the second half was due after 255 ms, and has waited until the measurement was over at least.
  EXPECT_GE(report->latency.quantile(0.99), 240'000'000U);
  EXPECT_EQ(report->waited, 50U);
}

TEST(LoadEnd, CountsWaitsOfCallsThatTimedOutAtARate) {
  Numbered served([](std::uint64_t number) { return Numbered::Response{.delay = number % 2 == 0 ? 0ms : 60s}; });
  LoadPlan plan = plan_for(served.endpoint());
  plan.warmup = 0ms;
  plan.rate = 200;
  plan.outstanding = 100;
  // Also the time in which a busy machine may deliver the others.
  plan.timeout = 5s;
  plan.grace = 60s;

  const auto report = run_of(plan);

  EXPECT_EQ(report->failed, 30U);
  EXPECT_EQ(report->latency.count(), 60U);
  EXPECT_EQ(report->waited, 30U);
  EXPECT_GE(report->latency.quantile(0.75), 4'999'000'000U);
}

// 90 calls begin in three seconds. Only the first 15, of half a second, have their responses in time, and a busy
// machine has the other two and a half for them.
TEST(LoadEnd, ExcludesLateCallsFromTheRate) {
  Numbered served([](std::uint64_t number) { return Numbered::Response{.delay = number < 15 ? 0ms : 3s}; });
  LoadPlan plan = plan_for(served.endpoint());
  plan.warmup = 0ms;
  plan.duration = 3s;
  plan.rate = 30;
  plan.outstanding = 300;
  plan.grace = 60s;

  const auto report = run_of(plan);

  EXPECT_EQ(report->calls, 90U);
  EXPECT_EQ(report->late.calls, 75U);
  EXPECT_EQ(report->latency.count(), 90U);
  // Without the three seconds of waiting for the others.
  EXPECT_GE(report->seconds, 2.99);
  EXPECT_LT(report->seconds, 3.5);
  EXPECT_NEAR(report->rate(), 15 / report->seconds, 1);
  EXPECT_LT(report->bytes_per_second(), 90 * 8 * 2 / 3.0 * 0.8);
}

// The first 30 calls, of 600 ms, have their responses in the measurement, and the last one not before 6.1 s.
TEST(LoadEnd, KeepsTheDrainOutOfTheSeries) {
  Numbered served([](std::uint64_t number) { return Numbered::Response{.delay = number < 30 ? 0ms : 4s}; });
  LoadPlan plan = plan_for(served.endpoint());
  plan.warmup = 0ms;
  plan.duration = 2200ms;
  plan.rate = 50;
  plan.outstanding = 300;
  plan.grace = 60s;

  const auto report = run_of(plan);

  EXPECT_EQ(report->calls, 110U);
  ASSERT_FALSE(report->series.empty());
  EXPECT_LE(report->series.back().at_seconds, 4.5);
  std::uint64_t calls = 0;
  for (const SeriesPoint& point : report->series) calls += point.calls;
  EXPECT_EQ(calls, 30U);
}

TEST(LoadEnd, DoesNotComeByOneFailure) {
  Numbered served([](std::uint64_t number) {
    return number == 0 ? Numbered::Response{.status = {StatusCode::not_found, "one"}}
                       : Numbered::Response{.delay = 700ms};
  });
  LoadPlan plan = plan_for(served.endpoint());
  plan.warmup = 0ms;
  plan.duration = 0ms;
  plan.total = 2;
  plan.patience = 200ms;

  const auto report = run_of(plan);

  EXPECT_EQ(report->end, RunEnd::complete);
  EXPECT_EQ(report->calls, 1U);
  EXPECT_EQ(report->failed, 1U);
}

LoadPlan one_way_plan(const std::string& endpoint) {
  LoadPlan plan = plan_for(endpoint, CallKind::one_way);
  plan.warmup = 0ms;
  plan.duration = 100ms;
  // Without a rate the fences would wait behind as many calls as this machine sends in that time.
  plan.rate = 2000;
  plan.connections = plan.outstanding = 20;
  return plan;
}

TEST(LoadEnd, OfOneWayCallsHasOneGraceAndReportsAFailedFence) {
  Numbered served([](std::uint64_t) { return Numbered::Response{}; }, 60s);
  LoadPlan plan = one_way_plan(served.endpoint());
  plan.grace = 2s;
  const Clock::time_point begun = Clock::now();

  const auto report = run_of(plan);

  EXPECT_LT(Clock::now() - begun, 35s) << "a grace for each would be 40 s";
  ASSERT_FALSE(report->errors.empty());
  EXPECT_EQ(report->errors.front().code, StatusCode::deadline_exceeded);
  EXPECT_EQ(report->errors.front().count, 20U);
}

TEST(LoadEnd, OfOneWayCallsComesWhenItIsStopped) {
  Numbered served([](std::uint64_t) { return Numbered::Response{}; }, 60s);
  LoadPlan plan = one_way_plan(served.endpoint());
  plan.grace = 60s;
  const Clock::time_point begun = Clock::now();

  const auto report = run_until(std::move(plan), [&] { return served.fences() >= 20; });

  EXPECT_LT(Clock::now() - begun, 50s);
  EXPECT_EQ(report->end, RunEnd::interrupted);
}

TEST(LoadEnd, ComesAtOnceIfTheRunIsStoppedWhileItWaitsForOpenCalls) {
  Numbered served([](std::uint64_t) { return Numbered::Response{.delay = 60s}; });
  LoadPlan plan = plan_for(served.endpoint());
  plan.warmup = 0ms;
  plan.duration = 100ms;
  plan.rate = 100;
  plan.outstanding = 100;
  plan.grace = 60s;
  const Clock::time_point begun = Clock::now();

  // The last call is made 10 ms before the measurement ends. By then the run waits, on a busy machine as well.
  Clock::time_point all_made = Clock::time_point::max();
  const auto report = run_until(std::move(plan), [&] {
    if (served.calls() >= 10) all_made = std::min(all_made, Clock::now());
    return Clock::now() - 2s >= all_made;
  });

  EXPECT_LT(Clock::now() - begun, 50s);
  EXPECT_EQ(report->unanswered, 10U);
  EXPECT_EQ(report->waited, 10U);
}

// The run waits for its calls, for four seconds in which both sides are idle.
TEST(LoadEnd, SamplesTheServerBeforeItWaitsForOpenCalls) {
  EchoOptions options;
  options.delay = DelayDistribution({{1, 4s}});
  Served served(std::move(options));
  LoadPlan plan = plan_for(served.endpoint());
  plan.warmup = 0ms;
  plan.duration = 300ms;
  plan.rate = 50;
  plan.outstanding = 50;
  plan.grace = 60s;

  const auto report = run_of(plan);

  EXPECT_EQ(report->calls, 15U);
  ASSERT_TRUE(report->server.has_value());
  EXPECT_LT(report->server->seconds, 4);
}

TEST(LoadEnd, OfATotalTimesTheMessagesThatItCounts) {
  Served served;
  LoadPlan plan = plan_for(served.endpoint(), CallKind::bidirectional);
  plan.duration = 0ms;
  plan.total = 20;
  plan.messages = 500;
  plan.outstanding = 4;

  const auto report = run_of(plan);

  EXPECT_EQ(report->messages, 20U * 500);
  EXPECT_EQ(report->latency.count(), report->messages);
}

TEST(LoadEnd, OfTheWarmUpEndsItsStreams) {
  Served served;
  LoadPlan plan = plan_for(served.endpoint(), CallKind::bidirectional);
  plan.total = 1;
  plan.messages = 1'000'000'000;
  // It is stopped by the first message that counts.
  plan.duration = 60s;
  LoadRun run(plan);

  const Result<LoadReport> report = run.run([&run](const Progress& now) {
    if (now.phase == Progress::Phase::measuring && now.ended > 0) run.stop();
  });

  ASSERT_TRUE(report.is_ok()) << report.status().to_string();
  EXPECT_GT(report->messages, 0U);
}

}  // namespace
}  // namespace trunkline::load
