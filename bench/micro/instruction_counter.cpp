// SPDX-License-Identifier: MIT
// Opens the counter of the calling thread, without the kernel's share, which unprivileged users may read.
#include "micro/instruction_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace trunkline::bench {

InstructionCounter::InstructionCounter() noexcept {
  perf_event_attr event;
  std::memset(&event, 0, sizeof event);
  event.type = PERF_TYPE_HARDWARE;
  event.size = sizeof event;
  event.config = PERF_COUNT_HW_INSTRUCTIONS;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  file_ = static_cast<int>(syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

InstructionCounter::~InstructionCounter() {
  if (file_ >= 0) close(file_);
}

std::optional<std::uint64_t> InstructionCounter::read() const noexcept {
  std::uint64_t value = 0;
  if (file_ < 0 || ::read(file_, &value, sizeof value) != sizeof value) return std::nullopt;
  return value;
}

}  // namespace trunkline::bench
