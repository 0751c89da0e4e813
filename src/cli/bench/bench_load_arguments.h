// SPDX-License-Identifier: MIT
// BenchLoadArguments: declares the options that describe the load.
#pragma once

#include "cli/bench/bench_settings.h"

#include "load/load_plan.h"

#include <CLI/CLI.hpp>

#include <string>

namespace trunkline::cli::bench {

class BenchLoadArguments {
 public:
  void declare(CLI::App& app);

  bool lists_presets() const { return preset_ == "list"; }
  /// Fills in everything except the endpoint, the method and its request. Throws Failure.
  void apply(load::LoadPlan& plan) const;
  /// Checks the options once the kind of the calls is known. Throws Failure for those that cannot be combined.
  void check(const load::LoadPlan& plan, bool has_method) const;
  /// Returns the payload for the built-in echo service.
  Slice payload() const;
  bool has_bytes() const noexcept { return settings_.bytes.has_value(); }
  bool has_content() const noexcept { return content_option_->count() > 0; }
  bool polls() const noexcept { return polls_; }
  bool has_kind() const noexcept { return settings_.kind.has_value(); }

 private:
  void declare_time(CLI::App& app);
  BenchSettings settings() const;
  void apply_size(const BenchSettings& settings, load::LoadPlan& plan) const;
  void apply_time(const BenchSettings& settings, load::LoadPlan& plan) const;

  BenchSettings settings_;
  std::string preset_;
  std::string content_ = "random";
  const CLI::Option* content_option_ = nullptr;
  std::string arrivals_ = "even";
  std::string compressor_;
  bool polls_ = false;
};

/// Parses a duration. Throws Failure, which names the option.
std::chrono::nanoseconds duration_argument(const char* option, const std::string& text);

}  // namespace trunkline::cli::bench
