// SPDX-License-Identifier: MIT
// Whole runs against an EchoServer in this process, with delays.
#include "kit/held_port.h"
#include "served_echo.h"

#include <gtest/gtest.h>

#include <thread>

namespace trunkline::load {
namespace {

class LoadRunOfKind : public testing::TestWithParam<CallKind> {};

TEST_P(LoadRunOfKind, CountsCallsAndBytesWithoutAnError) {
  Served served;
  LoadPlan plan = plan_for(served.endpoint(), GetParam());
  plan.duration = 1s;
  plan.connections = 3;
  plan.threads = 2;
  plan.outstanding = 7;

  const auto report = run_of(plan);

  EXPECT_EQ(report->end, RunEnd::complete);
  EXPECT_GT(report->calls, 10U);
  EXPECT_EQ(report->failed, 0U) << (report->errors.empty() ? "" : report->errors.front().text);
  EXPECT_EQ(report->unanswered, 0U);
  EXPECT_GT(report->latency.count(), 0U);
  EXPECT_GT(report->bytes_sent, 0U);
  const bool responses_come = GetParam() != CallKind::one_way;
  EXPECT_EQ(report->bytes_received > 0, responses_come);
  ASSERT_TRUE(report->server.has_value());
  EXPECT_GT(report->server->memory_bytes, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LoadRunOfKind,
                         testing::Values(CallKind::unary, CallKind::one_way, CallKind::client_stream,
                                         CallKind::server_stream, CallKind::bidirectional));

TEST(LoadRun, MakesExactlyTheTotal) {
  Served served;
  LoadPlan plan = plan_for(served.endpoint());
  plan.duration = 0ms;
  plan.total = 5003;
  plan.connections = plan.threads = 2;
  plan.outstanding = 64;

  EXPECT_EQ(run_of(plan)->calls, 5003U);
}

TEST(LoadRun, MakesFewerCallsThanThereAreSlots) {
  Served served;
  LoadPlan plan = plan_for(served.endpoint());
  plan.duration = 0ms;
  plan.total = 1;
  plan.connections = plan.threads = 2;
  plan.outstanding = 8;

  EXPECT_EQ(run_of(plan)->calls, 1U);
}

TEST(LoadRun, KeepsTheRate) {
  Served served;
  for (const Arrivals arrivals : {Arrivals::even, Arrivals::poisson}) {
    LoadPlan plan = plan_for(served.endpoint());
    plan.rate = 2000;
    plan.arrivals = arrivals;
    plan.connections = plan.threads = 2;
    plan.outstanding = 256;
    plan.duration = 500ms;

    const auto report = run_of(plan);

    // Every call that is due is counted, whether it was sent or not.
    EXPECT_NEAR(static_cast<double>(report->calls + report->unsent), 1000, arrivals == Arrivals::even ? 2 : 200);
    EXPECT_EQ(report->uncorrected.count() + report->unsent, report->latency.count());
  }
}

TEST(LoadRun, CountsATotalAtARate) {
  Served served;
  LoadPlan plan = plan_for(served.endpoint());
  plan.rate = 5000;
  plan.duration = 0ms;
  plan.total = 500;
  plan.outstanding = 64;

  const auto report = run_of(plan);

  // On a busy machine the window may be full, so that some calls are not sent.
  EXPECT_EQ(report->calls + report->unsent, 500U);
}

// A stall of 300 ms in a run of 1.2 s: a closed loop of one call sees it once, and at a rate a quarter of the calls
// waits.
TEST(LoadRun, CorrectsCoordinatedOmissionAtARate) {
  const auto options = [] {
    EchoOptions made;
    made.stall = 300ms;
    made.stall_after = 300ms;
    return made;
  };
  Served for_closed(options()), for_open(options());
  LoadPlan closed = plan_for(for_closed.endpoint()), open = plan_for(for_open.endpoint());
  closed.warmup = open.warmup = 0ms;
  closed.duration = open.duration = 1200ms;
  open.rate = 1000;
  open.outstanding = 1;

  const auto seen = run_of(closed), corrected = run_of(open);

  EXPECT_GE(seen->latency.max(), 290'000'000U);
  EXPECT_LT(seen->latency.quantile(0.99), 100'000'000U);
  EXPECT_GE(corrected->latency.quantile(0.95), 150'000'000U);
  EXPECT_LT(corrected->uncorrected.quantile(0.95), 100'000'000U);
}

TEST(LoadRun, ReportsInjectedDelays) {
  EchoOptions options;
  options.delay = DelayDistribution({{0.9, 20ms}, {0.1, 300ms}});
  Served served(std::move(options));
  LoadPlan plan = plan_for(served.endpoint());
  plan.outstanding = 20;
  plan.duration = 3s;

  const auto report = run_of(plan);

  EXPECT_GE(report->latency.quantile(0.5), 19'000'000U);
  EXPECT_LT(report->latency.quantile(0.5), 250'000'000U);
  EXPECT_GE(report->latency.quantile(0.97), 290'000'000U);
}

TEST(LoadRun, FailsIfNoServerListens) {
  const kit::HeldPort port;

  EXPECT_EQ(LoadRun(plan_for(port.uri())).run({}).status().code(), StatusCode::unavailable);
}

TEST(LoadRun, EndsAtOnceWithoutTheMethod) {
  Served served;
  LoadPlan plan = plan_for(served.endpoint());
  plan.method = "no/such";
  plan.duration = 60s;

  const auto report = run_of(plan);

  EXPECT_EQ(report->end, RunEnd::gave_up);
  ASSERT_FALSE(report->errors.empty());
  EXPECT_EQ(report->errors.front().code, StatusCode::unimplemented);
}

TEST(LoadRun, EndsIfTheServerIsGone) {
  const kit::HeldPort port;
  auto served = std::make_unique<Served>(EchoOptions{}, port.uri());
  LoadPlan plan = plan_for(served->endpoint());
  plan.warmup = 0ms;
  plan.duration = 60s;
  plan.patience = 300ms;
  std::thread killer([&] {
    served->wait_for_calls(1000);
    served.reset();
  });

  const auto report = run_of(plan);

  killer.join();
  EXPECT_EQ(report->end, RunEnd::gave_up);
  EXPECT_GT(report->calls, 0U);
  ASSERT_FALSE(report->errors.empty());
  EXPECT_EQ(report->errors.front().code, StatusCode::unavailable);
  // It has not been spinning in the meantime.
  EXPECT_LT(report->failed, 2000U);
}

TEST(LoadRun, CountsWrongResponsesAsDataLoss) {
  Server server;
  server.handle<Slice, Slice>(echo_method, [](const Slice&, Slice& response, ServerContext&) {
    response = Slice::from_static("87654321");
    return Status::ok();
  });
  const std::string endpoint = server.listen("tcp://127.0.0.1:0").to_string();
  ASSERT_TRUE(server.start().is_ok());

  const auto report = run_of(plan_for(endpoint));

  EXPECT_EQ(report->calls, 0U);
  ASSERT_FALSE(report->errors.empty());
  EXPECT_EQ(report->errors.front().code, StatusCode::data_loss);
  EXPECT_FALSE(report->server.has_value());
}

TEST(LoadRun, StopsEarlyWithTheFiguresSoFar) {
  Served served;
  LoadPlan plan = plan_for(served.endpoint());
  plan.warmup = 0ms;
  plan.duration = 60s;
  LoadRun run(std::move(plan));
  std::thread stopper([&] {
    served.wait_for_calls(1000);
    run.stop();
  });

  const Result<LoadReport> report = run.run({});

  stopper.join();
  ASSERT_TRUE(report.is_ok());
  EXPECT_EQ(report->end, RunEnd::interrupted);
  EXPECT_GT(report->calls, 0U);
  EXPECT_LT(report->seconds, 30);
}

TEST(LoadRun, CancelsCallsThatHaveNoResponse) {
  EchoOptions options;
  options.delay = DelayDistribution({{1, 60s}});
  Served served(std::move(options));
  LoadPlan plan = plan_for(served.endpoint());
  plan.outstanding = 5;
  plan.grace = 100ms;

  const auto report = run_of(plan);

  EXPECT_EQ(report->calls, 0U);
  EXPECT_EQ(report->unanswered, 5U);
}

}  // namespace
}  // namespace trunkline::load
