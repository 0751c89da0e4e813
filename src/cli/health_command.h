// SPDX-License-Identifier: MIT
// `trunkline health`: whether a server is ready.
#pragma once

#include "cli/call_arguments.h"
#include "cli/command.h"
#include "cli/connection_arguments.h"
#include "cli/payload.h"

#include <trunkline/v1/health.pb.h>

#include <string>

namespace trunkline::cli {

class HealthCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  int check(Channel& channel, const CallOptions& options) const;
  int watch(Channel& channel, const CallOptions& options) const;
  /// The status on standard output; what to end with.
  static int show(const Payload& payload);
  [[noreturn]] void fail(const Status& status) const;

  ConnectionArguments connection_;
  CallArguments call_;
  v1::HealthCheckRequest request_;
  std::string service_;
  bool watches_ = false;
};

}  // namespace trunkline::cli
