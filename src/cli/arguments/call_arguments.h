// SPDX-License-Identifier: MIT
// CallArguments: declares the call options that several commands share.
#pragma once

#include <trunkline/call_options.h>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace trunkline::cli::arguments {

class CallArguments {
 public:
  void declare(CLI::App& app);
  /// Returns the options. Throws Failure if a value is not a duration or not metadata.
  CallOptions options() const;

 private:
  std::vector<std::string> metadata_;
  std::string timeout_;
  bool waits_for_ready_ = false;
};

}  // namespace trunkline::cli::arguments
