// SPDX-License-Identifier: MIT
// BenchRequest: what each call of a load is - a method and one message, encoded before the run.
#pragma once

#include "cli/connection_arguments.h"
#include "cli/json_arguments.h"
#include "cli/schema_arguments.h"

#include "load/load_plan.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace trunkline::cli {

class BenchRequest {
 public:
  void declare(CLI::App& app);

  /// False: the built-in echo service is called.
  bool has_method() const noexcept { return !method_.empty(); }
  /// Fills in the method, its kind unless `has_kind`, the request and its codec. Asks the server for definitions, if
  /// there are no others. `payload_option`, if not null, was said of the payload. Throws Failure.
  void apply(const ConnectionArguments& connection, const CallOptions& options, bool has_kind, const Slice& payload,
             const char* payload_option, load::LoadPlan& plan) const;

 private:
  void apply_echo(const Slice& payload, load::LoadPlan& plan) const;
  void apply_method(const ConnectionArguments& connection, const CallOptions& options, bool has_kind,
                    load::LoadPlan& plan) const;

  std::string method_;
  JsonArguments input_;
  std::string codec_;
  SchemaArguments schema_;
};

}  // namespace trunkline::cli
