// SPDX-License-Identifier: MIT
// ServerLoops: the loops of one server - its own, or the user's.
#pragma once

#include "net/loop.h"
#include "net/transport.h"
#include "server/server_loop.h"
#include "server/server_state.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace trunkline::server {

/// At least one loop. They do not change until destroy_own(). It is thread-safe, except where noted.
class ServerLoops {
 public:
  /// Makes ServerOptions::loops loops.
  explicit ServerLoops(const std::shared_ptr<ServerState>& server_state);
  ServerLoops(const std::shared_ptr<ServerState>& server_state, net::Loop& users_loop);

  bool are_own() const noexcept { return !own_.empty(); }
  std::size_t size() const noexcept { return loops_.size(); }
  const std::shared_ptr<ServerLoop>& operator[](std::size_t index) const noexcept { return loops_[index]; }
  auto begin() const noexcept { return loops_.begin(); }
  auto end() const noexcept { return loops_.end(); }
  /// Returns the loop that has the listeners.
  ServerLoop& first() const noexcept { return *loops_.front(); }

  ServerLoop& least_loaded() const noexcept;
  /// Returns the loop to whose net loop the transport belongs; there must be one.
  ServerLoop& of(const net::Transport& transport) const noexcept { return of(transport.loop()); }
  ServerLoop& of(const net::Loop& loop) const noexcept;
  /// Returns the loop that this thread runs; the first one if there is none.
  ServerLoop& current() const noexcept;
  /// Returns true if this thread runs one of the loops.
  bool is_current() const noexcept;
  /// Runs what is due on each loop. Must be called while no thread runs them.
  void poll();
  /// Destroys the server's own net loops, and with them suspended handlers, at the end of the server, after abandon().
  void destroy_own() noexcept;

 private:
  std::vector<std::unique_ptr<net::Loop>> own_;
  std::vector<std::shared_ptr<ServerLoop>> loops_;
};

}  // namespace trunkline::server
