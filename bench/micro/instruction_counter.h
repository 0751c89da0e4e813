// SPDX-License-Identifier: MIT
// InstructionCounter: the instructions of user code that the calling thread retires, by perf_event_open(2).
#pragma once

#include <cstdint>
#include <optional>

namespace trunkline::bench {

/// One thread. Many virtual machines have no such counter: bench/micro/instructions counts by callgrind instead.
class InstructionCounter {
 public:
  InstructionCounter() noexcept;
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  /// The instructions since the counter was made. Empty if the machine does not count, or does not permit this user to.
  std::optional<std::uint64_t> read() const noexcept;

 private:
  int file_;
};

}  // namespace trunkline::bench
