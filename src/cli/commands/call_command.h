// SPDX-License-Identifier: MIT
// `trunkline call`: calls a method with JSON requests and prints JSON responses.
#pragma once

#include "cli/arguments/call_arguments.h"
#include "cli/arguments/connection_arguments.h"
#include "cli/arguments/json_arguments.h"
#include "cli/arguments/schema_arguments.h"
#include "cli/calls/request_input.h"
#include "cli/commands/command.h"
#include "cli/schema/message_coder.h"

#include <optional>
#include <string>

namespace trunkline::cli::commands {

class CallCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  calls::RequestInput open_input(bool has_many_requests) const;
  schema::CoderOptions coder_options(const schema::SchemaMethod& method) const;
  json::JsonLayout layout(bool has_many_responses) const;
  int finish(const Status& status, const schema::SchemaMethod& method) const;

  arguments::ConnectionArguments connection_;
  arguments::SchemaArguments schema_;
  arguments::CallArguments call_;
  std::string method_;
  arguments::JsonArguments input_;
  std::optional<std::string> bytes_;
  std::string output_;
  std::string codec_;
  std::string compressor_;
  std::string routing_key_;
  bool is_idempotent_ = false;
  bool is_verbose_ = false;
  bool is_pretty_ = false;
  bool is_compact_ = false;
  bool shows_defaults_ = false;
};

}  // namespace trunkline::cli::commands
