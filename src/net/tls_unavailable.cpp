// SPDX-License-Identifier: MIT
// The functions of TLS in a build without it, which return unimplemented.
#include "net/tls_handshake.h"

namespace trunkline::net {

namespace {

Status not_built() {
  return {StatusCode::unimplemented, "use tls://: this build has no tls (built with TRUNKLINE_WITH_TLS=OFF)"};
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> make_server_context(const TlsOptions&) { return not_built(); }
Result<std::shared_ptr<const TlsContext>> make_client_context(const TlsOptions&) { return not_built(); }

std::unique_ptr<TlsHandshake> start_handshake(SocketWatcher::Pointer, PeerInfo, const HandshakeOptions&,
                                              HandshakeCallback) {
  // Without a context there is nothing to call this with.
  return nullptr;
}

}  // namespace trunkline::net
