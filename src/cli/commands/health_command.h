// SPDX-License-Identifier: MIT
// `trunkline health`: checks whether a server is ready.
#pragma once

#include "cli/arguments/call_arguments.h"
#include "cli/arguments/connection_arguments.h"
#include "cli/commands/command.h"
#include "cli/schema/packed_message.h"

#include <trunkline/v1/health.pb.h>

#include <string>

namespace trunkline::cli::commands {

class HealthCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  int check(Channel& channel, const CallOptions& options) const;
  int watch(Channel& channel, const CallOptions& options) const;
  /// Prints the status and returns the exit status.
  static int show(const schema::PackedMessage& payload);
  [[noreturn]] void fail(const Status& status) const;

  arguments::ConnectionArguments connection_;
  arguments::CallArguments call_;
  v1::HealthCheckRequest request_;
  std::string service_;
  bool watches_ = false;
};

}  // namespace trunkline::cli::commands
