// SPDX-License-Identifier: MIT
// Measurement: what the timed loop of a benchmark costs besides time.
#pragma once

#include "micro/allocation_counter.h"
#include "micro/instruction_counter.h"

#include <benchmark/benchmark.h>

#include <optional>

namespace trunkline::bench {

/// Make it right before the timed loop, and finish it right after the loop. Sets these counters, each for one
/// operation: `allocations` and `allocated_bytes` of the whole process; `instructions` of this thread's user code,
/// where the machine counts them. Besides `items_per_second`, and `bytes_per_second` if there are any. Under callgrind
/// the instructions of the loop are dumped, with the number of operations (bench/micro/instructions).
class Measurement {
 public:
  explicit Measurement(benchmark::State& state);

  /// `operations` and `bytes`: those of one iteration.
  void finish(std::size_t operations = 1, std::size_t bytes = 0);

 private:
  benchmark::State& state_;
  InstructionCounter counter_;
  AllocationCount allocations_;
  std::optional<std::uint64_t> instructions_;
};

}  // namespace trunkline::bench
