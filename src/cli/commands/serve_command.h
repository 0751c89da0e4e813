// SPDX-License-Identifier: MIT
// `trunkline serve`: runs the Python program trunkline.serve.
#pragma once

#include "cli/commands/command.h"

#include <string>
#include <vector>

namespace trunkline::cli::commands {

class ServeCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  /// Replaces the process with Python, so it does not return. Throws Failure.
  int run() override;

 private:
  /// Returns the arguments that are passed on to Python, unchanged.
  std::vector<std::string> passed_on() const;

  CLI::App* app_ = nullptr;
  CLI::Option* python_option_ = nullptr;
  std::string python_;
};

}  // namespace trunkline::cli::commands
