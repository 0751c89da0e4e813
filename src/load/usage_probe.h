// SPDX-License-Identifier: MIT
// UsageProbe: asks the statistics service of a server which resources its process uses.
#pragma once

#include "load/load_plan.h"
#include "load/load_report.h"

#include <trunkline/channel.h>

#include <memory>
#include <optional>

namespace trunkline::load {

/// A probe with a connection of its own. It is not safe for concurrent use. Functions block for at most one second.
class UsageProbe {
 public:
  explicit UsageProbe(const LoadPlan& plan);

  /// Begins to measure. Returns false if the server does not report its usage.
  bool begin();
  /// Returns what the process has used since begin(); nullopt if the server has no such service, did not respond, or
  /// was restarted.
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
