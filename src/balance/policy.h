// SPDX-License-Identifier: MIT
// Policy: chooses the server of a call among those that are ready.
#pragma once

#include "balance/call_hints.h"
#include "balance/server_load.h"
#include "base/clock.h"

#include <span>

namespace trunkline::balance {

/// A policy that one thread at a time uses. It knows neither connections nor names, so simulations run it as it is.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Tells that the listed servers, ready or not, have changed: Tiers weighs by them how many are missing. It is called
  /// before set_servers(). The servers are not kept.
  virtual void set_listed(std::span<ServerLoad* const> /*servers*/) {}
  /// Tells that the servers to choose from have changed. They live until the next call of this function or the policy's
  /// end. A server belongs to one policy at a time.
  virtual void set_servers(std::span<ServerLoad* const> servers) = 0;
  /// Returns the server for a call that starts now; null if there are no servers. The caller reports the call to it. If
  /// all servers are avoided, those that were avoided first are not.
  virtual ServerLoad* choose(const CallHints& hints, base::TimePoint now) = 0;
};

}  // namespace trunkline::balance
