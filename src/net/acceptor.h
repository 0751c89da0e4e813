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
#include <mutex>
#include <string>

namespace trunkline::net {

/// The listener shares it with the connections that are on their way. After close() these are dropped.
class Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(Scheme scheme, ListenOptions options, ListenCallbacks callbacks)
      : scheme_(scheme), options_(std::move(options)), callbacks_(std::move(callbacks)) {}

  // --- on the loop that has accepted the connection ---

  void accept(Loop& here, UniqueSocket socket);
  void accept(Loop& here, MemoryEnd end);
  void report(const Status& error) const;

  // --- any thread ---

  Status load_tls();
  void close() noexcept { closed_.store(true, std::memory_order_relaxed); }
  bool is_closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

 private:
  class Rescue;

  /// Calls `serve(loop, connection)`, with a connection that has no transport yet, on the loop that is assigned to
  /// `peer`, or `here` if that loop does not take it.
  template <class Serve>
  void hand_over(Loop& here, const std::string& peer, Serve serve);
  std::shared_ptr<const TlsContext> context() const;
  /// Returns the context for a connection that has been accepted, after TlsOptions::renew.
  std::shared_ptr<const TlsContext> next_context();
  void set_context(std::shared_ptr<const TlsContext> context);
  void serve_socket(Loop& loop, UniqueSocket socket, PeerInfo peer, AcceptedConnection connection,
                    const std::shared_ptr<const TlsContext>& context);
  void read_proxy_header(SocketWatcher::Pointer socket, PeerInfo peer, AcceptedConnection connection,
                         const std::shared_ptr<const TlsContext>& context);
  void serve_watched(SocketWatcher::Pointer socket, PeerInfo peer, AcceptedConnection connection,
                     const std::shared_ptr<const TlsContext>& context);
  void start_tls(SocketWatcher::Pointer socket, PeerInfo peer, AcceptedConnection connection,
                 const std::shared_ptr<const TlsContext>& context);
  void deliver(AcceptedConnection connection) const;

  const Scheme scheme_;
  const ListenOptions options_;
  const ListenCallbacks callbacks_;
  /// Guards context_.
  mutable std::mutex mutex_;
  std::shared_ptr<const TlsContext> context_;
  std::atomic<bool> closed_{false};
};

}  // namespace trunkline::net
