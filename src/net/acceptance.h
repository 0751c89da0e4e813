// SPDX-License-Identifier: MIT
// Acceptance: the way of an accepted connection from the listener to the loop that serves it.
#pragma once

#include "net/listener.h"
#include "net/memory_transport.h"
#include "net/tls_handshake.h"
#include "net/unique_socket.h"

#include <atomic>
#include <memory>

namespace trunkline::net {

/// Shared by the listener and what is on its way. After close() everything on its way is dropped.
class Acceptance : public std::enable_shared_from_this<Acceptance> {
 public:
  Acceptance(Loop& listener_loop, Scheme scheme, ListenOptions options, ListenCallbacks callbacks)
      : listener_loop_(listener_loop),
        scheme_(scheme),
        options_(std::move(options)),
        callbacks_(std::move(callbacks)) {}

  /// These come from the listener's loop.
  void accept(UniqueSocket socket);
  void accept(MemoryEnd end);
  void report(const Status& error) const;
  Status load_tls();
  void close() noexcept { closed_.store(true, std::memory_order_relaxed); }

 private:
  /// Calls `serve(loop, arrival)`, with an arrival that has no transport yet, on the loop that `peer` is given to.
  template <class Serve>
  void hand_over(const std::string& peer, Serve serve);
  void serve_socket(Loop& loop, UniqueSocket socket, PeerInfo peer, Arrival arrival,
                    const std::shared_ptr<const TlsContext>& context);
  void shake_hands(Readiness::Pointer socket, PeerInfo peer, Arrival arrival,
                   const std::shared_ptr<const TlsContext>& context);
  void deliver(Arrival arrival) const;
  bool is_closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

  Loop& listener_loop_;
  const Scheme scheme_;
  const ListenOptions options_;
  const ListenCallbacks callbacks_;
  std::shared_ptr<const TlsContext> context_;
  std::atomic<bool> closed_{false};
};

}  // namespace trunkline::net
