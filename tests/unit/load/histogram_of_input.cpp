// SPDX-License-Identifier: MIT
// A program: durations in nanoseconds on its standard input, the figures of a run that had them on its output.
#include "load/report_json.h"

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>

int main() {
  const auto report = std::make_unique<trunkline::load::LoadReport>();
  for (std::uint64_t value = 0; std::cin >> value;) report->latency.record(value);
  std::fputs(trunkline::load::to_json(*report).c_str(), stdout);
}
