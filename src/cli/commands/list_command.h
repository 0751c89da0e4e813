// SPDX-License-Identifier: MIT
// `trunkline list`: shows the services, methods and messages of a server.
#pragma once

#include "cli/arguments/call_arguments.h"
#include "cli/arguments/connection_arguments.h"
#include "cli/arguments/schema_arguments.h"
#include "cli/commands/command.h"

#include <string>

namespace trunkline::cli::commands {

class ListCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  arguments::ConnectionArguments connection_;
  arguments::SchemaArguments schema_;
  arguments::CallArguments call_;
  std::string name_;
};

}  // namespace trunkline::cli::commands
