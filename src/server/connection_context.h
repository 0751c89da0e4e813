// SPDX-License-Identifier: MIT
// ConnectionContext: what the calls of a connection know of it. ConnectionLink: what they ask of it.
#pragma once

#include "call/stream_host.h"
#include "net/loop.h"
#include "net/transport.h"
#include "server/server_state.h"

#include <trunkline/compressor.h>

#include <atomic>
#include <memory>
#include <string>

namespace trunkline::server {

struct ConnectionContext;

/// The way from a call to its connection. Only the loop's thread uses it.
class ConnectionLink : public call::StreamLink {
 public:
  /// Closes the connection without a goodbye.
  virtual void drop() = 0;
  /// Tells the connection that a call has ended and its object has been released.
  virtual void on_call_ended() = 0;
  virtual const ConnectionContext& connection_context() const noexcept = 0;
};

/// Nothing of the object changes after set_up(), except is_draining. Any thread may read it then.
struct ConnectionContext {
  /// True if the connection came to an endpoint for operations.
  bool is_private = false;
  net::Loop* loop = nullptr;
  /// The state of the server, which outlives the connection.
  ServerState* server_state = nullptr;
  std::weak_ptr<ConnectionLink> link;
  std::string peer;
  /// The account of what is held for the peer's address. Null: nothing counts it.
  std::shared_ptr<session::MemoryAccount> memory_account;
  /// The verified certificate of the client; null if there is none.
  std::shared_ptr<const net::PeerCertificate> certificate;
  /// The compressor of ServerOptions::compressor, for calls whose client accepts it; null: there is none.
  const Compressor* default_compressor = nullptr;
  /// The position of default_compressor in ServerOptions::compressors.
  std::size_t default_compressor_position = 0;
  /// True if responses are compressed as their requests were.
  bool compresses_as_request = true;

  /// True once the connection takes no further calls. The loop's thread sets it.
  std::atomic<bool> is_draining{false};

  /// Sets all members. `share` is that of the peer's address.
  void set_up(net::Loop& on, ServerState& state, std::weak_ptr<ConnectionLink> connection,
              const net::PeerInfo& transport_peer, const std::shared_ptr<PeerShare>& share);
};

}  // namespace trunkline::server
