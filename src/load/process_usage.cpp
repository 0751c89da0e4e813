// SPDX-License-Identifier: MIT
// getrusage(2) and /proc/self/statm.
#include "load/process_usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace trunkline::load {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

ProcessUsage ProcessUsage::now() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
          .peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

std::uint64_t resident_bytes() noexcept {
  std::ifstream file("/proc/self/statm");
  std::uint64_t whole = 0, resident = 0;
  file >> whole >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace trunkline::load
