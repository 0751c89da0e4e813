// SPDX-License-Identifier: MIT
// A program that reads durations in nanoseconds from standard input, and prints the figures of a run with them.
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
