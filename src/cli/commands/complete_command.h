// SPDX-License-Identifier: MIT
// `trunkline complete`: prints the services and methods that may stand at the cursor; completion scripts call it.
#pragma once

#include "cli/commands/command.h"

#include <string>
#include <vector>

namespace trunkline::cli::commands {

/// A command that asks the server that the line names, with the options that the line gives, for at most one second.
/// Without an answer it prints nothing. It leaves out names that a shell could take for more than a word.
class CompleteCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  /// Always succeeds: an error would disturb the line that is being typed.
  int run() override;

 private:
  CLI::App* app_ = nullptr;
  std::vector<std::string> words_;
};

}  // namespace trunkline::cli::commands
