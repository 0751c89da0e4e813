// SPDX-License-Identifier: MIT
// Stands in for TLS in builds without it.
#include "net/tls_handshake.h"

namespace trunkline::net {

namespace {

Status not_built() {
  return {StatusCode::unimplemented, "use tls://: this build has no tls (built with TRUNKLINE_WITH_TLS=OFF)"};
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> make_server_context(const TlsOptions&) { return not_built(); }
Result<std::shared_ptr<const TlsContext>> make_client_context(const TlsOptions&) { return not_built(); }

std::unique_ptr<TlsHandshake> start_handshake(Readiness::Pointer, PeerInfo, const HandshakeOptions&,
                                              HandshakeCallback) {
  // Needs a context, and there is none.
  return nullptr;
}

}  // namespace trunkline::net
