// SPDX-License-Identifier: MIT
// Acceptor: takes accepted connections from the listener to the loops that serve them.
#pragma once

#include "net/listen_options.h"
#include "net/memory_transport.h"
#include "net/socket_watcher.h"
#include "net/tls_context_factory.h"
#include "net/unique_socket.h"

#include <trunkline/endpoint.h>

#include <atomic>
#include <memory>
#include <string>

namespace trunkline::net {

/// Shared by the listener and by the connections that are on their way. After close() these are dropped.
class Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(Loop& listener_loop, Scheme scheme, ListenOptions options, ListenCallbacks callbacks)
      : listener_loop_(listener_loop),
        scheme_(scheme),
        options_(std::move(options)),
        callbacks_(std::move(callbacks)) {}

  // --- on the listener's loop ---

  void accept(UniqueSocket socket);
  void accept(MemoryEnd end);
  void report(const Status& error) const;
  Status load_tls();
  void close() noexcept { closed_.store(true, std::memory_order_relaxed); }

 private:
  /// Calls `serve(loop, connection)`, with a connection that has no transport yet, on the loop that is assigned to
  /// `peer`.
  template <class Serve>
  void hand_over(const std::string& peer, Serve serve);
  void serve_socket(Loop& loop, UniqueSocket socket, PeerInfo peer, AcceptedConnection connection,
                    const std::shared_ptr<const TlsContext>& context);
  void start_tls(SocketWatcher::Pointer socket, PeerInfo peer, AcceptedConnection connection,
                 const std::shared_ptr<const TlsContext>& context);
  void deliver(AcceptedConnection connection) const;
  bool is_closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

  Loop& listener_loop_;
  const Scheme scheme_;
  const ListenOptions options_;
  const ListenCallbacks callbacks_;
  std::shared_ptr<const TlsContext> context_;
  std::atomic<bool> closed_{false};
};

}  // namespace trunkline::net
