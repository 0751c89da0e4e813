// SPDX-License-Identifier: MIT
// `trunkline call`: JSON in, JSON out.
#pragma once

#include "cli/call_arguments.h"
#include "cli/command.h"
#include "cli/connection_arguments.h"
#include "cli/json_arguments.h"
#include "cli/message_coder.h"
#include "cli/request_input.h"
#include "cli/schema_arguments.h"

#include <optional>
#include <string>

namespace trunkline::cli {

class CallCommand final : public Command {
 public:
  void declare(CLI::App& app) override;
  int run() override;

 private:
  RequestInput open_input(bool has_many_requests) const;
  CoderOptions coder_options(const MethodFacts& method) const;
  JsonLayout layout(bool has_many_responses) const;
  int finish(const Status& status, const MethodFacts& method) const;

  ConnectionArguments connection_;
  SchemaArguments schema_;
  CallArguments call_;
  std::string method_;
  JsonArguments input_;
  std::optional<std::string> bytes_;
  std::string output_;
  std::string codec_;
  std::string compressor_;
  bool is_idempotent_ = false;
  bool is_verbose_ = false;
  bool is_pretty_ = false;
  bool is_compact_ = false;
  bool shows_defaults_ = false;
};

}  // namespace trunkline::cli
