// SPDX-License-Identifier: MIT
// BenchRequest: declares the method and the request of a load, and encodes the request before the run.
#pragma once

#include "cli/arguments/connection_arguments.h"
#include "cli/arguments/json_arguments.h"
#include "cli/arguments/schema_arguments.h"

#include "load/load_plan.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace trunkline::cli::bench {

class BenchRequest {
 public:
  void declare(CLI::App& app);

  /// Returns false if the built-in echo service is called.
  bool has_method() const noexcept { return !method_.empty(); }
  /// Fills in the method, its kind unless `has_kind`, the request and its codec. Asks the server for definitions if no
  /// others are given. `payload_option` is the option that describes the payload, or null. Throws Failure.
  void apply(const arguments::ConnectionArguments& connection, const CallOptions& options, bool has_kind,
             const Slice& payload, const char* payload_option, load::LoadPlan& plan) const;

 private:
  void apply_echo(const Slice& payload, load::LoadPlan& plan) const;
  void apply_method(const arguments::ConnectionArguments& connection, const CallOptions& options, bool has_kind,
                    load::LoadPlan& plan) const;

  std::string method_;
  arguments::JsonArguments input_;
  std::string codec_;
  arguments::SchemaArguments schema_;
};

}  // namespace trunkline::cli::bench
