// SPDX-License-Identifier: MIT
// CommandLine: parses the arguments, runs the chosen command and maps its outcome to an exit status.
#pragma once

#include "cli/commands/command.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace trunkline::cli::commands {

class CommandLine {
 public:
  CommandLine();

  /// Runs the command; messages go to standard error. Returns the exit status.
  int run(int count, char** arguments);
  const CLI::App& app() const noexcept { return app_; }

 private:
  struct Declared {
    CLI::App* app;
    std::unique_ptr<Command> command;
  };

  int run_chosen();
  /// Reports the error and returns the exit status. `words` are the arguments as they were given.
  int refuse(const CLI::ParseError& error, const std::vector<std::string>& words) const;
  const CLI::App& chosen() const;

  CLI::App app_;
  std::vector<Declared> commands_;
};

}  // namespace trunkline::cli::commands
