// SPDX-License-Identifier: MIT
// AcceptedConnection: a connection on its way from a listener to the layer that serves it.
#pragma once

#include "base/clock.h"
#include "net/connection_permit.h"
#include "net/transport.h"

#include <memory>

namespace trunkline::net {

struct AcceptedConnection {
  std::unique_ptr<Transport> transport;
  ConnectionPermit permit{};
  base::TimePoint accepted_at{};
};

}  // namespace trunkline::net
