// SPDX-License-Identifier: MIT
// `trunkline bench`: generates load and measures rate and latency.
#pragma once

#include "cli/arguments/call_arguments.h"
#include "cli/arguments/connection_arguments.h"
#include "cli/bench/bench_compare.h"
#include "cli/bench/bench_load_arguments.h"
#include "cli/bench/bench_output.h"
#include "cli/bench/bench_plot.h"
#include "cli/bench/bench_request.h"
#include "cli/bench/bench_serve.h"
#include "cli/commands/command.h"

#include <string>

namespace trunkline::cli::commands {

class BenchCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  int measure();
  load::LoadPlan plan(const std::string& endpoint) const;
  int exit_status_of(const load::LoadReport& report) const;

  CLI::App* app_ = nullptr;
  arguments::ConnectionArguments connection_;
  bench::BenchRequest request_;
  arguments::CallArguments call_;
  bench::BenchLoadArguments load_;
  bench::BenchOutput output_;
  bench::BenchServe serve_;
  bench::BenchCompare compare_;
  bench::BenchPlot plot_;
  bool serves_itself_ = false;
};

}  // namespace trunkline::cli::commands
