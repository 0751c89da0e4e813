// SPDX-License-Identifier: MIT
// `trunkline stats`: what a server is doing.
#pragma once

#include "cli/call_arguments.h"
#include "cli/command.h"
#include "cli/connection_arguments.h"
#include "cli/payload.h"
#include "cli/stats_view.h"

#include <string>

namespace trunkline::cli {

class StatsCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  int get(Channel& channel, const CallOptions& options);
  int watch(Channel& channel, const CallOptions& options);
  void show(const v1::ServerStatistics& sample);
  [[noreturn]] void fail(const Status& status) const;

  ConnectionArguments connection_;
  CallArguments call_;
  v1::StatisticsRequest request_;
  StatsView view_;
  std::string prefix_;
  std::string interval_ = "1s";
  bool watches_ = false;
  bool is_json_ = false;
};

}  // namespace trunkline::cli
