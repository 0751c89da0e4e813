// SPDX-License-Identifier: MIT
// ServerLoops: makes loops and chooses among them.
#include "server/server_loops.h"

#include <algorithm>

namespace trunkline::server {

ServerLoops::ServerLoops(const std::shared_ptr<ServerState>& server_state) {
  const ServerOptions& options = server_state->options;
  for (std::size_t i = 0; i < options.loops; ++i) {
    own_.push_back(std::make_unique<net::Loop>(options.loop));
    loops_.push_back(std::make_shared<ServerLoop>(server_state, *own_.back()));
  }
}

ServerLoops::ServerLoops(const std::shared_ptr<ServerState>& server_state, net::Loop& users_loop) {
  loops_.push_back(std::make_shared<ServerLoop>(server_state, users_loop));
}

ServerLoop& ServerLoops::least_loaded() const noexcept {
  return **std::min_element(loops_.begin(), loops_.end(),
                            [](const auto& a, const auto& b) { return a->load() < b->load(); });
}

ServerLoop& ServerLoops::of(const net::Loop& loop) const noexcept {
  return **std::find_if(loops_.begin(), loops_.end(), [&](const auto& each) { return &each->net_loop() == &loop; });
}

ServerLoop& ServerLoops::current() const noexcept {
  const auto found =
      std::find_if(loops_.begin(), loops_.end(), [](const auto& loop) { return loop->net_loop().is_current(); });
  return found != loops_.end() ? **found : first();
}

bool ServerLoops::is_current() const noexcept {
  return std::any_of(loops_.begin(), loops_.end(), [](const auto& loop) { return loop->net_loop().is_current(); });
}

void ServerLoops::destroy_own() noexcept {
  if (!are_own()) return;
  for (const auto& loop : loops_) loop->context().lose_loop();
  own_.clear();
}

void ServerLoops::poll() {
  for (const auto& loop : loops_) loop->net_loop().poll();
}

}  // namespace trunkline::server
