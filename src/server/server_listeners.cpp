// SPDX-License-Identifier: MIT
// Opening, reloading and closing listeners.
#include "server/server_listeners.h"

#include <utility>

namespace trunkline::server {

Result<Endpoint> ServerListeners::open(net::Loop& loop, const Endpoint& endpoint, const ServerOptions& options,
                                       net::ListenCallbacks callbacks) {
  auto listener = net::Listener::open(
      loop, endpoint,
      {.transport = options.transport, .tls = options.tls, .handshake_timeout = options.limits.handshake_timeout},
      std::move(callbacks));
  if (!listener.is_ok()) return std::move(listener).status();
  listeners_.push_back(std::move(*listener));
  const Endpoint& opened = listeners_.back()->endpoint();
  std::lock_guard lock(mutex_);
  endpoints_.push_back(opened);
  return opened;
}

std::vector<Endpoint> ServerListeners::endpoints() const {
  std::lock_guard lock(mutex_);
  return endpoints_;
}

Status ServerListeners::reload_tls() {
  bool has_tls = false;
  for (const auto& listener : listeners_) {
    if (listener->endpoint().scheme() != Scheme::tls) continue;
    has_tls = true;
    if (Status status = listener->reload_tls(); !status.is_ok()) return status;
  }
  if (has_tls) return {};
  return {StatusCode::failed_precondition, "reload tls: the server listens on no tls:// endpoint"};
}

void ServerListeners::retire() {
  for (const auto& listener : listeners_) listener->retire();
  forget_endpoints();
}

void ServerListeners::close() {
  listeners_.clear();
  forget_endpoints();
}

void ServerListeners::forget_endpoints() {
  std::lock_guard lock(mutex_);
  endpoints_.clear();
}

}  // namespace trunkline::server
