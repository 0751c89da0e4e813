// SPDX-License-Identifier: MIT
// UsageProbe: asks a server's statistics service what its process takes.
#pragma once

#include "load/load_plan.h"
#include "load/load_report.h"

#include <trunkline/channel.h>

#include <memory>
#include <optional>

namespace trunkline::load {

/// On a connection of its own. One thread; blocks for a second at most.
class UsageProbe {
 public:
  explicit UsageProbe(const LoadPlan& plan);

  /// Measures from here on. False if the server does not tell.
  bool begin();
  /// Nothing if the server has no such service, did not answer, or was started anew meanwhile.
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
