// SPDX-License-Identifier: MIT
// TLS as the listener and the dialer see it: contexts made from options, and the handshake on a connected socket.
#pragma once

#include "net/listener.h"
#include "net/readiness.h"

#include <trunkline/tls.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace trunkline::net {

/// What is read from the files that TlsOptions name. Immutable, any thread. Without TLS in the build there is none: the
/// functions that make one give unimplemented.
class TlsContext;

/// Errors (invalid_argument) name the option, the file and the reason.
Result<std::shared_ptr<const TlsContext>> make_server_context(const TlsOptions& options);
Result<std::shared_ptr<const TlsContext>> make_client_context(const TlsOptions& options);

struct HandshakeOptions {
  std::shared_ptr<const TlsContext> context;
  std::string
      server_name;  ///< clients: for SNI and the check of the certificate, unless TlsOptions::server_name is set
  base::TimePoint deadline = base::never;
  std::string tried;  ///< begins an error's text, e.g. "connect tls://host:1"
  /// Servers: a peer whose handshake has failed is given time to read why (Parting), and this is held until then.
  /// Unset: the socket is closed at once.
  std::optional<Place> place{};
};

using HandshakeCallback = std::function<void(Result<std::unique_ptr<Transport>>)>;

/// Destroying it gives the handshake up: the callback is not called then.
class TlsHandshake : public Resident {};

/// `callback` is called once, on the loop, never from inside this. The transport's peer is `peer` and what the
/// handshake found.
std::unique_ptr<TlsHandshake> start_handshake(Readiness::Pointer socket, PeerInfo peer, const HandshakeOptions& options,
                                              HandshakeCallback callback);

}  // namespace trunkline::net
