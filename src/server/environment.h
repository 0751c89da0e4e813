// SPDX-License-Identifier: MIT
// Environment: what all loops of a server share.
#pragma once

#include "call/interceptor_chain.h"
#include "server/admission.h"
#include "server/method_registry.h"
#include "server/worker_pool.h"
#include "session/session_options.h"

#include <trunkline/server_options.h>

#include <atomic>
#include <memory>
#include <string_view>

namespace trunkline::server {

/// Kept alive by the server, and by every loop and call of it. Thread-safe; the options do not change.
struct Environment {
  explicit Environment(ServerOptions given);

  void log(LogLevel level, std::string_view message, std::string_view method, std::string_view peer) const noexcept;

  const ServerOptions options;
  const session::SessionOptions session_options;
  MethodRegistry methods;
  const call::InterceptorChain interceptors;
  Admission admission;
  WorkerPool workers;
  /// Accepted and not yet gone, handshake included. Their places may outlive the server.
  const std::shared_ptr<std::atomic<std::size_t>> connections = std::make_shared<std::atomic<std::size_t>>(0);
};

/// Throws std::invalid_argument that names the first option out of its range.
void check_options(const ServerOptions& options);

}  // namespace trunkline::server
