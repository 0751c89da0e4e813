// SPDX-License-Identifier: MIT
// SchemaArguments: declares the options that select the source of definitions.
#pragma once

#include "cli/schema/schema.h"

#include <trunkline/channel.h>

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace trunkline::cli::arguments {

class SchemaArguments {
 public:
  void declare(CLI::App& app);
  /// Returns true if files are given.
  bool is_given() const noexcept { return !proto_files_.empty() || !descriptor_set_.empty(); }
  /// Returns the given files, or the server if there are none. The channel must outlive the source. Throws Failure.
  std::unique_ptr<schema::SchemaSource> source(Channel& channel, const std::string& endpoint,
                                               const CallOptions& options) const;

 private:
  std::vector<std::string> proto_files_;
  std::vector<std::string> folders_;
  std::string descriptor_set_;
};

}  // namespace trunkline::cli::arguments
