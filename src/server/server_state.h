// SPDX-License-Identifier: MIT
// ServerState: the options, methods, limits and workers that all loops of one server share.
#pragma once

#include "call/interceptor_chain.h"
#include "call/served_here.h"
#include "server/admission.h"
#include "server/connection_limit.h"
#include "server/method_registry.h"
#include "server/peer_limits.h"
#include "server/worker_pool.h"
#include "session/memory_budget.h"
#include "session/protocol_table.h"
#include "session/session_options.h"

#include <trunkline/server_options.h>

#include <string_view>

namespace trunkline::server {

/// Thread-safe. Kept alive by the server, its loops and their calls. Whether the server is running is not here but in
/// ServerLifecycle.
struct ServerState {
  explicit ServerState(ServerOptions given, session::ProtocolTable spoken = session::ProtocolTable::with_defaults());

  /// Calls ServerOptions::log if it is set. `method` and `peer` may be empty.
  void log(LogLevel level, std::string_view message, std::string_view method, std::string_view peer) const noexcept;

  const ServerOptions options;
  session::MemoryBudget memory;
  const session::SessionOptions session_options;
  /// What the ports of the server speak.
  const session::ProtocolTable protocols;
  MethodRegistry methods;
  const call::InterceptorChain interceptors;
  Admission admission;
  PeerLimits peers;
  ConnectionLimit connections;
  WorkerPool workers;
  /// The server's endpoints, if it has one loop, which then serves them alone; otherwise null. Set while no loop runs.
  const call::ServedHere* served_here = nullptr;
};

}  // namespace trunkline::server
