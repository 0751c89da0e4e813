// SPDX-License-Identifier: MIT
// Text to standard output unless a file is named.
#include "cli/bench_output.h"

#include "cli/bench_text.h"
#include "cli/failure.h"
#include "cli/output.h"

namespace trunkline::cli {

void BenchOutput::declare(CLI::App& app) {
  app.add_flag("--progress", shows_progress_, "A line each second on standard error, also where it is no terminal");
}

void BenchOutput::check() const {}

void BenchOutput::write(const load::LoadReport& report) const { write_output(bench_text(report)); }

}  // namespace trunkline::cli
