// SPDX-License-Identifier: MIT
// DnsLookup: looks the records of one name up, once or again.
#pragma once

#include "base/clock.h"

#include <trunkline/resolver.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::naming::dns {

struct DnsAnswer {
  /// The error of what has failed. If it is ok, `servers` is not empty.
  Status status{};
  std::vector<ResolvedServer> servers{};
  /// The JSON of the service configs to choose from; empty: there are none. Without a value they were not looked up, or
  /// could not be found out.
  std::optional<std::string> service_configs{};
  /// The time for which the records hold; base::Duration::max(): for ever.
  base::Duration time_to_live{};
  /// False if the service configs are a long time coming, and a final answer follows.
  bool is_final = true;
};

/// A lookup on the loop's thread.
class DnsLookup {
 public:
  using Done = std::function<void(DnsAnswer answer)>;

  /// Ends a lookup that is under way: nothing is called afterwards.
  virtual ~DnsLookup() = default;
  /// Calls `done` with the final answer, and before that with one that is not final if the service configs take long.
  /// It is never called inside this function, and may destroy this object. No lookup may be under way.
  virtual void start(Done done) = 0;
};

}  // namespace trunkline::naming::dns
