// SPDX-License-Identifier: MIT
// ServerListeners: the endpoints that a server listens on.
#pragma once

#include "call/served_here.h"
#include "net/listener.h"
#include "server/server_loops.h"

#include <trunkline/endpoint.h>
#include <trunkline/result.h>
#include <trunkline/server_options.h>

#include <memory>
#include <mutex>
#include <vector>

namespace trunkline::server {

/// For the thread of the loop that the listeners are opened on, except endpoints().
class ServerListeners final : public call::ServedHere {
 public:
  /// Opens a listener on the first loop; all loops accept. Returns the endpoint with the port that the system chose.
  /// Errors: those of net::Listener::open().
  Result<Endpoint> open(const ServerLoops& loops, const Endpoint& endpoint, const ServerOptions& options,
                        net::ListenCallbacks callbacks, bool is_private = false);
  /// Of the listeners that still accept, without private ones. Any thread.
  std::vector<Endpoint> endpoints() const;
  /// True if `endpoint` leads to one of them. Any thread.
  bool serves(const Endpoint& endpoint) const override;
  /// Reads the certificate files again. Errors: failed_precondition if there is no tls:// endpoint; those of
  /// net::Listener::reload_tls().
  Status reload_tls();
  /// Accepts what the system has queued, and then no more. Connections on their way are still delivered.
  void retire();
  /// Closes all listeners. Connections on their way are closed.
  void close();

 private:
  void forget_endpoints();

  std::vector<std::unique_ptr<net::Listener>> listeners_;
  /// Guards endpoints_.
  mutable std::mutex mutex_;
  std::vector<Endpoint> endpoints_;
};

}  // namespace trunkline::server
