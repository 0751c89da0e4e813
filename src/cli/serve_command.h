// SPDX-License-Identifier: MIT
// `trunkline serve`: hands over to Python.
#pragma once

#include "cli/command.h"

#include <string>
#include <vector>

namespace trunkline::cli {

class ServeCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  /// Returns only by throwing Failure: the process becomes Python.
  int run() override;

 private:
  /// What Python is to be told, as it was given.
  std::vector<std::string> handed_on() const;

  CLI::App* app_ = nullptr;
  CLI::Option* python_option_ = nullptr;
  std::string python_;
};

}  // namespace trunkline::cli
