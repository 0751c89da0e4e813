// SPDX-License-Identifier: MIT
// AcceptedConnection: a connection on its way from a listener to the layer that serves it.
#pragma once

#include "base/clock.h"
#include "net/connection_permit.h"
#include "net/pending_connections.h"
#include "net/transport.h"

#include <memory>

namespace trunkline::net {

struct AcceptedConnection {
  std::unique_ptr<Transport> transport;
  ConnectionPermit permit{};
  base::TimePoint accepted_at{};
  /// True if its listener is for operations: it serves private methods too.
  bool is_private = false;
  /// The connections among which it is, from LoopAssignment::pending.
  std::shared_ptr<PendingConnections> pending{};
};

}  // namespace trunkline::net
