// SPDX-License-Identifier: MIT
// DnsLookup: asks for the records of one name, once or again.
#pragma once

#include "base/clock.h"

#include <trunkline/resolver.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::naming::dns {

struct DnsAnswer {
  /// Of what has failed; ok: `servers` is not empty.
  Status status{};
  std::vector<ResolvedServer> servers{};
  /// The JSON of the service configs to choose from; empty: there are none. Without a value: it was not asked for, or
  /// could not be found out.
  std::optional<std::string> service_configs{};
  /// For how long the records hold; base::Duration::max(): for ever.
  base::Duration time_to_live{};
  /// False: the service configs are a long time coming, and a final answer follows.
  bool is_final = true;
};

/// Loop's thread.
class DnsLookup {
 public:
  using Done = std::function<void(DnsAnswer answer)>;

  /// Ends a lookup that is under way: nothing is called afterwards.
  virtual ~DnsLookup() = default;
  /// Calls `done` with the final answer, and before that with one that is not final if the service configs take long.
  /// Never from within this call; `done` may destroy this object. Not while a lookup is under way.
  virtual void start(Done done) = 0;
};

}  // namespace trunkline::naming::dns
