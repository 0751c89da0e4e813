// SPDX-License-Identifier: MIT
// CommandLine: from arguments to the command they name, and its outcome to an exit status.
#pragma once

#include "cli/command.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace trunkline::cli {

class CommandLine {
 public:
  CommandLine();

  /// Runs the command; messages go to standard error. What the process ends with.
  int run(int count, char** arguments);
  const CLI::App& app() const noexcept { return app_; }

 private:
  struct Declared {
    CLI::App* app;
    std::unique_ptr<Command> command;
  };

  int run_chosen();
  int refuse(const CLI::ParseError& error) const;
  const CLI::App& chosen() const;

  CLI::App app_;
  std::vector<Declared> commands_;
};

}  // namespace trunkline::cli
