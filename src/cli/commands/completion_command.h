// SPDX-License-Identifier: MIT
// `trunkline completion`: prints the completion script of a shell.
#pragma once

#include "cli/commands/command.h"

#include <string>

namespace trunkline::cli::commands {

class CompletionCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  CLI::App* app_ = nullptr;
  std::string shell_;
};

}  // namespace trunkline::cli::commands
