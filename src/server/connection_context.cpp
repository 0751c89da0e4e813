// SPDX-License-Identifier: MIT
// ConnectionContext: what is known before the client has sent anything.
#include "server/connection_context.h"

#include <cstddef>
#include <utility>

namespace trunkline::server {

void ConnectionContext::set_up(net::Loop& on, ServerState& state, std::weak_ptr<ConnectionLink> connection,
                               const net::PeerInfo& transport_peer, const std::shared_ptr<PeerShare>& share) {
  loop = &on;
  server_state = &state;
  link = std::move(connection);
  peer = transport_peer.address;
  memory_account = state.peers.account_of(share);
  certificate = transport_peer.certificate;
  compresses_as_request = state.options.compressor.empty();
  const auto& compressors = state.options.compressors.compressors();
  for (std::size_t i = 0; i < compressors.size(); ++i) {
    if (compressors[i]->name() != state.options.compressor) continue;
    default_compressor = compressors[i].get();
    default_compressor_position = i;
  }
}

}  // namespace trunkline::server
