// SPDX-License-Identifier: MIT
// `trunkline completion`: prints a script.
#pragma once

#include "cli/command.h"

#include <string>

namespace trunkline::cli {

class CompletionCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  CLI::App* app_ = nullptr;
  std::string shell_;
};

}  // namespace trunkline::cli
