// SPDX-License-Identifier: MIT
// `trunkline bench`: generates load and measures what comes of it.
#pragma once

#include "cli/bench_compare.h"
#include "cli/bench_load_arguments.h"
#include "cli/bench_output.h"
#include "cli/bench_plot.h"
#include "cli/bench_request.h"
#include "cli/bench_serve.h"
#include "cli/call_arguments.h"
#include "cli/command.h"
#include "cli/connection_arguments.h"

#include <string>

namespace trunkline::cli {

class BenchCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  int measure();
  load::LoadPlan plan(const std::string& endpoint) const;
  int exit_status_of(const load::LoadReport& report) const;

  CLI::App* app_ = nullptr;
  ConnectionArguments connection_;
  BenchRequest request_;
  CallArguments call_;
  BenchLoadArguments load_;
  BenchOutput output_;
  BenchServe serve_;
  BenchCompare compare_;
  BenchPlot plot_;
  bool serves_itself_ = false;
};

}  // namespace trunkline::cli
