// SPDX-License-Identifier: MIT
// CallArguments: the options of single calls that several commands have.
#pragma once

#include <trunkline/call_options.h>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace trunkline::cli {

class CallArguments {
 public:
  void declare(CLI::App& app);
  /// Throws Failure for a text that is no duration or no metadata.
  CallOptions options() const;

 private:
  std::vector<std::string> metadata_;
  std::string timeout_;
  bool waits_for_ready_ = false;
};

}  // namespace trunkline::cli
