// SPDX-License-Identifier: MIT
// `trunkline servers`: shows the servers that a name stands for, and whether they can be reached.
#pragma once

#include "cli/arguments/connection_arguments.h"
#include "cli/commands/command.h"

#include <chrono>
#include <string>
#include <vector>

namespace trunkline::cli::commands {

class ServersCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  int watch(Channel& channel) const;
  std::string shown(const std::vector<ServerState>& servers) const;

  arguments::ConnectionArguments connection_;
  std::string timeout_ = "5s";
  bool watches_ = false;
  bool is_json_ = false;
};

}  // namespace trunkline::cli::commands
