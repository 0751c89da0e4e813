// SPDX-License-Identifier: MIT
// Listener: accepts connections at one endpoint and hands each of them to a loop.
#pragma once

#include "net/listen_options.h"
#include "net/loop.h"

#include <trunkline/endpoint.h>
#include <trunkline/result.h>

#include <memory>

namespace trunkline::net {

/// A listener. All calls come from the thread of its loop. Destruction closes it.
class Listener {
 public:
  /// Opens a listener. It may block to look up a host name, and replaces the file of a unix socket that nobody serves.
  /// Errors: invalid_argument (options, files), already_exists (address in use), permission_denied, unavailable.
  static Result<std::unique_ptr<Listener>> open(Loop& loop, const Endpoint& endpoint, const ListenOptions& options,
                                                ListenCallbacks callbacks);
  virtual ~Listener() = default;

  /// Returns the endpoint, with the port that the system has assigned if it asked for port 0.
  virtual const Endpoint& endpoint() const noexcept = 0;
  /// Accepts the connections that the system has queued, which would otherwise be reset, then stops accepting and
  /// removes the address. Connections on their way to their loop are still delivered. The callbacks must neither close
  /// nor destroy the listener.
  virtual void retire() = 0;
  /// Stops accepting and removes the address. Connections on their way to their loop are closed instead of delivered; a
  /// callback that has begun on another loop may still be running.
  virtual void close() = 0;
  /// Reads the certificate files again, for connections that are accepted from now on. On error nothing changes.
  virtual Status reload_tls() = 0;
};

}  // namespace trunkline::net
