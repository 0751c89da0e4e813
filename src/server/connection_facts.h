// SPDX-License-Identifier: MIT
// ConnectionFacts: what the calls of one connection know of it, and ConnectionLink: what they ask of it.
#pragma once

#include "call/stream_host.h"
#include "net/loop.h"
#include "net/transport.h"
#include "server/server_state.h"

#include <trunkline/compressor.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::server {

struct ConnectionFacts;

/// Loop's thread only.
class ConnectionLink : public call::StreamLink {
 public:
  /// Closes the connection without a goodbye.
  virtual void drop() = 0;
  /// A call has ended and its object has been released.
  virtual void on_call_ended() = 0;
  virtual const ConnectionFacts& facts() const noexcept = 0;
};

/// Does not change after set_up(), except is_draining. Then any thread may read it.
struct ConnectionFacts {
  /// The connection came to an endpoint for operations.
  bool is_private = false;
  net::Loop* loop = nullptr;
  /// Outlives the connection.
  ServerState* server_state = nullptr;
  std::weak_ptr<ConnectionLink> link;
  std::string peer;
  /// Counts what is held for the peer's address; null: nothing does.
  std::shared_ptr<session::MemoryAccount> memory_account;
  std::string certificate_subject;
  std::vector<std::string> certificate_names;
  /// ServerOptions::compressor, for calls whose client accepts it; null: none.
  const Compressor* default_compressor = nullptr;
  /// Its position in ServerOptions::compressors.
  std::size_t default_compressor_position = 0;
  /// Responses are compressed as their requests were.
  bool compresses_as_request = true;

  /// The connection takes no further calls. The loop's thread sets it.
  std::atomic<bool> is_draining{false};

  /// `share` is that of the peer's address.
  void set_up(net::Loop& on, ServerState& state, std::weak_ptr<ConnectionLink> connection,
              const net::PeerInfo& transport_peer, const std::shared_ptr<PeerShare>& share);
};

}  // namespace trunkline::server
