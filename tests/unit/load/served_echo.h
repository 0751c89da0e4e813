// SPDX-License-Identifier: MIT
// Served: an EchoServer in this process. plan_for, run_of: a plan for it, and its report.
#pragma once

#include "load/echo_server.h"
#include "load/load_run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace trunkline::load {

using namespace std::chrono_literals;

inline LoadPlan plan_for(const std::string& endpoint, CallKind kind = CallKind::unary) {
  LoadPlan plan;
  plan.endpoint = endpoint;
  plan.kind = kind;
  plan.method = kind == CallKind::client_stream   ? gather_method
                : kind == CallKind::server_stream ? scatter_method
                : kind == CallKind::bidirectional ? talk_method
                                                  : echo_method;
  plan.request = Slice::copy_of("12345678");
  plan.expects_echo = kind != CallKind::one_way;
  plan.warmup = 50ms;
  plan.duration = 300ms;
  if (kind == CallKind::server_stream) plan.metadata.set(messages_key, "10");
  plan.messages = 10;
  return plan;
}

class Served {
 public:
  explicit Served(EchoOptions options = {}, const std::string& uri = "tcp://127.0.0.1:0") : echo_(std::move(options)) {
    endpoint_ = echo_.server().listen(uri).to_string();
    EXPECT_TRUE(echo_.server().start().is_ok());
  }
  const std::string& endpoint() const { return endpoint_; }
  EchoServer& echo() { return echo_; }
  /// Until the server has begun so many.
  void wait_for_calls(std::uint64_t count) {
    while (echo_.server().totals().calls_started < count) std::this_thread::sleep_for(1ms);
  }

 private:
  EchoServer echo_;
  std::string endpoint_;
};

inline std::unique_ptr<LoadReport> run_of(LoadPlan plan) {
  Result<LoadReport> report = LoadRun(std::move(plan)).run({});
  EXPECT_TRUE(report.is_ok()) << report.status().to_string();
  return std::make_unique<LoadReport>(report.is_ok() ? *std::move(report) : LoadReport());
}

}  // namespace trunkline::load
