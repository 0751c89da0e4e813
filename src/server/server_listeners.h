// SPDX-License-Identifier: MIT
// ServerListeners: the endpoints that a server listens on.
#pragma once

#include "call/served_here.h"
#include "net/listener.h"
#include "server/server_loops.h"

#include <trunkline/endpoint.h>
#include <trunkline/result.h>
#include <trunkline/server_options.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace trunkline::server {

/// Only the thread of the loop on which the listeners are opened uses it, except for endpoints() and serves().
class ServerListeners final : public call::ServedHere {
 public:
  /// Opens a listener on the first loop; all loops accept. Returns the endpoint with the port that the system chose.
  /// The host "localhost" means the loopback addresses of IPv4 and of IPv6, if the system has the latter, with one
  /// port. Errors: those of net::Listener::open().
  Result<Endpoint> open(const ServerLoops& loops, const Endpoint& endpoint, const ServerOptions& options,
                        net::ListenCallbacks callbacks, bool is_private = false);
  /// Returns the endpoints of the listeners that still accept, without private ones. Any thread may call it.
  std::vector<Endpoint> endpoints() const;
  /// Returns true if `endpoint` leads to one of the listeners. Any thread may call it.
  bool serves(const Endpoint& endpoint) const override;
  /// Reads the certificate files again. Errors: failed_precondition if there is no tls:// endpoint; those of
  /// net::Listener::reload_tls().
  Status reload_tls();
  /// Accepts the connections that the system has queued, and then no more. Those on their way are still delivered.
  void retire();
  /// Closes all listeners. Connections on their way are closed.
  void close();

 private:
  using OpenOne = std::function<Result<std::unique_ptr<net::Listener>>(const Endpoint&)>;

  Status open_localhost(const OpenOne& open_one, const Endpoint& endpoint);
  void forget_endpoints();

  std::vector<std::unique_ptr<net::Listener>> listeners_;
  /// Guards endpoints_.
  mutable std::mutex mutex_;
  std::vector<Endpoint> endpoints_;
};

}  // namespace trunkline::server
