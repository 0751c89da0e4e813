// SPDX-License-Identifier: MIT
// ListenOptions: how a listener accepts connections, and its callbacks.
#pragma once

#include "net/accepted_connection.h"
#include "net/address_networks.h"
#include "net/pending_connections.h"

#include <trunkline/tls.h>
#include <trunkline/transport_options.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace trunkline::net {

class Loop;

struct ListenOptions {
  TransportOptions transport{};
  TlsOptions tls{};
  /// The time from AcceptedConnection::accepted_at to the end of the TLS handshake.
  std::chrono::milliseconds handshake_timeout{10000};
  /// The peers that send a header of the PROXY protocol on each connection; the client that it names is the peer then.
  AddressNetworks trusted_proxies{};
  /// The loops that accept connections beside the listener's, so that none of them has to run for the others. They must
  /// live as long as the listener.
  std::vector<Loop*> further_loops{};
};

/// The loop that serves an accepted connection.
struct LoopAssignment {
  /// The loop. Null: the connection is closed at once.
  Loop* loop = nullptr;
  /// The permit that is handed to the connection.
  ConnectionPermit permit{};
  /// The connections of that loop: it ends this one while its handshake is under way. May be null.
  std::shared_ptr<PendingConnections> pending{};
};

struct ListenCallbacks {
  /// Chooses the loop of a connection by the address of its peer. Called on the loop that has accepted it, before any
  /// handshake. Null: that loop serves the connection.
  std::function<LoopAssignment(const std::string& peer)> assign;
  /// Called if the loop that assign() has chosen has not taken the connection for a while, because a handler holds it:
  /// `here`, the loop that has accepted it and on which this is called, is to serve it. The earlier permit has been
  /// released. Null: the connection waits.
  std::function<LoopAssignment(Loop& here, const std::string& peer)> assign_here;
  /// Called on the loop of the transport when a connection can be served; its handshake is done.
  std::function<void(AcceptedConnection)> on_accept;
  /// Called on the loop concerned if a connection could not be accepted, or its handshake has failed; the listener goes
  /// on. May be null.
  std::function<void(const Status&)> on_error;
};

}  // namespace trunkline::net
