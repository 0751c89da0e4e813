// SPDX-License-Identifier: MIT
// TlsHandshake: the TLS handshake on a connected socket.
#pragma once

#include "net/connection_permit.h"
#include "net/loop_owned.h"
#include "net/pending_connections.h"
#include "net/socket_watcher.h"
#include "net/tls_context_factory.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace trunkline::net {

struct HandshakeOptions {
  std::shared_ptr<const TlsContext> context;
  /// The name of the server for SNI and for the check of the certificate, unless TlsOptions::server_name is set.
  std::string server_name;
  base::TimePoint deadline = base::never;
  /// The beginning of error texts, for example "connect tls://host:1".
  std::string tried;
  /// The permit of a server's connection. If the handshake fails, the peer is given time to read the alert
  /// (LingeringClose), and the permit is held until then. Unset: the socket is closed at once.
  std::optional<ConnectionPermit> permit{};
  /// The connections of a server: the loop owns the handshake, and this can end it. May be null.
  std::shared_ptr<PendingConnections> pending{};
};

using HandshakeCallback = std::function<void(Result<std::unique_ptr<Transport>>)>;

/// A handshake in progress. Its destruction closes the socket, and the callback is not called then.
class TlsHandshake : public LoopOwned {};

/// Calls `callback` once, on the loop, and not from inside this function. The peer of the transport is `peer` with what
/// the handshake has found out.
std::unique_ptr<TlsHandshake> start_handshake(SocketWatcher::Pointer socket, PeerInfo peer,
                                              const HandshakeOptions& options, HandshakeCallback callback);

}  // namespace trunkline::net
