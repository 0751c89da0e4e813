// SPDX-License-Identifier: MIT
// `trunkline stats`: shows the statistics of a server.
#pragma once

#include "cli/arguments/call_arguments.h"
#include "cli/arguments/connection_arguments.h"
#include "cli/commands/command.h"
#include "cli/commands/stats_view.h"
#include "cli/schema/packed_message.h"

#include <string>

namespace trunkline::cli::commands {

class StatsCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  int get(Channel& channel, const CallOptions& options);
  int watch(Channel& channel, const CallOptions& options);
  void show(const v1::ServerStatistics& sample);
  [[noreturn]] void fail(const Status& status) const;

  arguments::ConnectionArguments connection_;
  arguments::CallArguments call_;
  v1::StatisticsRequest request_;
  StatsView view_;
  std::string prefix_;
  std::string interval_ = "1s";
  bool watches_ = false;
  bool is_json_ = false;
};

}  // namespace trunkline::cli::commands
