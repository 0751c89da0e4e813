// SPDX-License-Identifier: MIT
// Policy: chooses the server of a call among those that are ready.
#pragma once

#include "balance/call_hints.h"
#include "balance/server_load.h"
#include "base/clock.h"

#include <span>

namespace trunkline::balance {

/// One thread at a time. It knows neither connections nor names, so that simulations run it as it is.
class Policy {
 public:
  virtual ~Policy() = default;
  /// All servers that are listed, ready or not, have changed: Tiers weighs by it how many are missing. Called before
  /// set_servers(). The servers are not kept.
  virtual void set_listed(std::span<ServerLoad* const> /*servers*/) {}
  /// The servers to choose from have changed. They live until the next call of this function or the policy's end. A
  /// server belongs to one policy at a time.
  virtual void set_servers(std::span<ServerLoad* const> servers) = 0;
  /// The server for a call that starts now; null if there are no servers. The caller reports the call to it. Where all
  /// servers are avoided, those that were avoided first are not.
  virtual ServerLoad* choose(const CallHints& hints, base::TimePoint now) = 0;
};

}  // namespace trunkline::balance
