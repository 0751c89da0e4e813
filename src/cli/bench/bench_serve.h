// SPDX-License-Identifier: MIT
// `trunkline bench serve`: serves the built-in echo service.
#pragma once

#include "load/delay_distribution.h"

#include <CLI/CLI.hpp>

#include <trunkline/tls.h>

#include <string>

namespace trunkline::cli::bench {

class BenchServe {
 public:
  void declare(CLI::App& app);
  /// Serves until SIGINT or SIGTERM.
  int run();

 private:
  std::string endpoint_;
  std::string delay_;
  std::string stall_;
  std::string stall_after_ = "1s";
  std::uint64_t threads_ = 1;
  TlsOptions tls_;
  bool polls_ = false;
  bool ends_with_input_ = false;
};

/// Parses "2ms" or "90%:2ms,9%:20ms,1%:80ms". Throws Failure.
load::DelayDistribution parse_delays(const std::string& text);

}  // namespace trunkline::cli::bench
