// SPDX-License-Identifier: MIT
// Reads the counters at both ends of the loop.
#include "micro/measurement.h"

#ifdef TRUNKLINE_HAS_VALGRIND
#include <valgrind/callgrind.h>
#endif

#include <string>

namespace trunkline::bench {
namespace {

void begin_callgrind() {
#ifdef TRUNKLINE_HAS_VALGRIND
  CALLGRIND_ZERO_STATS;
#endif
}

void end_callgrind([[maybe_unused]] double operations) {
#ifdef TRUNKLINE_HAS_VALGRIND
  if (RUNNING_ON_VALGRIND == 0) return;
  const std::string text = "operations " + std::to_string(operations);
  CALLGRIND_DUMP_STATS_AT(text.c_str());
#endif
}

}  // namespace

Measurement::Measurement(benchmark::State& state) : state_(state) {
  allocations_ = allocations();
  instructions_ = counter_.read();
  begin_callgrind();
}

void Measurement::finish(std::size_t operations, std::size_t bytes) {
  const auto count = static_cast<double>(state_.iterations()) * static_cast<double>(operations);
  end_callgrind(count);
  const std::optional<std::uint64_t> instructions = counter_.read();
  const AllocationCount now = allocations();
  state_.counters["allocations"] = static_cast<double>(now.calls - allocations_.calls) / count;
  state_.counters["allocated_bytes"] = static_cast<double>(now.bytes - allocations_.bytes) / count;
  if (instructions && instructions_) {
    state_.counters["instructions"] = static_cast<double>(*instructions - *instructions_) / count;
  }
  state_.SetItemsProcessed(static_cast<std::int64_t>(operations) * state_.iterations());
  if (bytes > 0) state_.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state_.iterations());
}

}  // namespace trunkline::bench
