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

/// The shared state of a server. It is thread-safe. The server, its loops and their calls keep it alive.
/// ServerLifecycle knows whether the server is running.
struct ServerState {
  explicit ServerState(ServerOptions given, session::ProtocolTable spoken = session::ProtocolTable::with_defaults());

  /// Calls ServerOptions::log if it is set. `method` and `peer` may be empty.
  void log(LogLevel level, std::string_view message, std::string_view method, std::string_view peer) const noexcept;

  const ServerOptions options;
  session::MemoryBudget memory;
  const session::SessionOptions session_options;
  /// The protocols that the ports of the server speak.
  const session::ProtocolTable protocols;
  MethodRegistry methods;
  const call::InterceptorChain interceptors;
  Admission admission;
  PeerLimits peers;
  ConnectionLimit connections;
  WorkerPool workers;
  /// The endpoints of a server with one loop, which serves them alone; otherwise null. It is set while no loop runs.
  const call::ServedHere* served_here = nullptr;
};

}  // namespace trunkline::server
