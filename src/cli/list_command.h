// SPDX-License-Identifier: MIT
// `trunkline list`: what a server offers.
#pragma once

#include "cli/call_arguments.h"
#include "cli/command.h"
#include "cli/connection_arguments.h"
#include "cli/schema_arguments.h"

#include <string>

namespace trunkline::cli {

class ListCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  ConnectionArguments connection_;
  SchemaArguments schema_;
  CallArguments call_;
  std::string name_;
};

}  // namespace trunkline::cli
