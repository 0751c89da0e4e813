// SPDX-License-Identifier: MIT
// UsageProbe: asks the statistics service of a server what its process uses.
#pragma once

#include "load/load_plan.h"
#include "load/load_report.h"

#include <trunkline/channel.h>

#include <memory>
#include <optional>

namespace trunkline::load {

/// Uses a connection of its own. Not safe for concurrent use. Functions block for at most one second.
class UsageProbe {
 public:
  explicit UsageProbe(const LoadPlan& plan);

  /// Begins to measure. False: the server does not report its usage.
  bool begin();
  /// Returns what the process has used since begin(). Empty if the server has no such service, did not respond, or was
  /// restarted.
  std::optional<ServerUsage> end();

 private:
  struct Sample {
    std::uint64_t process_id, uptime_ns, cpu_ns, memory_bytes;
  };
  std::optional<Sample> ask();

  Metadata metadata_;
  std::unique_ptr<Channel> channel_;
  std::optional<Sample> first_;
};

}  // namespace trunkline::load
