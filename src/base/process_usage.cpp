// SPDX-License-Identifier: MIT
// ProcessUsage: reads the processor time from getrusage() and the memory from /proc.
#include "base/process_usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace trunkline::base {

namespace {

std::chrono::nanoseconds duration_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total_pages = 0;
  std::uint64_t resident_pages = 0;
  if (!(file >> total_pages >> resident_pages)) return 0;
  const long page = ::sysconf(_SC_PAGESIZE);
  return page > 0 ? resident_pages * static_cast<std::uint64_t>(page) : 0;
}

}  // namespace

ProcessUsage process_usage() {
  ProcessUsage result{.id = static_cast<std::uint64_t>(::getpid()), .memory_bytes = resident_bytes()};
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    result.cpu = duration_of(usage.ru_utime) + duration_of(usage.ru_stime);
    result.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }
  return result;
}

}  // namespace trunkline::base
