// SPDX-License-Identifier: MIT
// Listener: accepts connections at one endpoint and hands each to a loop.
#pragma once

#include "net/loop.h"
#include "net/transport.h"

#include <trunkline/endpoint.h>
#include <trunkline/result.h>
#include <trunkline/tls.h>
#include <trunkline/transport_options.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace trunkline::net {

struct ListenOptions {
  TransportOptions transport{};
  TlsOptions tls{};
  std::chrono::milliseconds handshake_timeout{10000};  ///< tls: from Arrival::since to the end of the handshake
};

/// A connection's right to be there. It has it as long as any copy is held; null where nobody counts.
using Place = std::shared_ptr<const void>;

/// Where a connection just accepted is to go.
struct Placement {
  Loop* loop = nullptr;  ///< serves it; null: it is closed at once
  Place place{};         ///< held while the connection is on its way
};

/// A connection that may be served.
struct Arrival {
  std::unique_ptr<Transport> transport;
  Place place{};
  base::TimePoint since{};  ///< when it was accepted
};

struct ListenCallbacks {
  /// On the listener's loop, for each connection accepted, before a handshake. Null: the listener's loop serves all.
  std::function<Placement(const std::string& peer)> place;
  /// On the transport's loop, handshake done.
  std::function<void(Arrival)> on_accept;
  /// A connection that could not be accepted, or whose handshake failed; the listener goes on. On the loop concerned.
  /// May be null.
  std::function<void(const Status&)> on_error;
};

class Acceptance;

/// Calls come from the listener's loop; destruction closes.
class Listener {
 public:
  /// A name in place of an address is looked up at once, which may block. Errors: invalid_argument (options, files),
  /// already_exists (in use), permission_denied, unavailable. A unix socket file that nobody serves any more is
  /// replaced.
  static Result<std::unique_ptr<Listener>> open(Loop& loop, const Endpoint& endpoint, const ListenOptions& options,
                                                ListenCallbacks callbacks);
  virtual ~Listener() = default;

  /// With the real port.
  virtual const Endpoint& endpoint() const noexcept = 0;
  /// Takes the connections that the system has queued, which would be reset, then stops to accept and takes the address
  /// away. Those on their way to their loop are still delivered. The callbacks must not close or destroy the listener.
  virtual void retire() = 0;
  /// Stops to accept and takes the address away. Connections on their way to their loop are closed instead of
  /// delivered; a callback that another loop has entered already may still be running.
  virtual void close() = 0;
  /// Reads the certificate files again; connections accepted from now on use what is in them. On error nothing changes.
  virtual Status reload_tls() = 0;
};

}  // namespace trunkline::net
