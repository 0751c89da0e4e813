// SPDX-License-Identifier: MIT
// ServerListeners: opens, reloads and closes listeners.
#include "server/server_listeners.h"

#include <algorithm>
#include <utility>

namespace trunkline::server {

Result<Endpoint> ServerListeners::open(const ServerLoops& loops, const Endpoint& endpoint, const ServerOptions& options,
                                       net::ListenCallbacks callbacks, bool is_private) {
  net::ListenOptions listen{
      .transport = options.transport, .tls = options.tls, .handshake_timeout = options.limits.handshake_timeout};
  auto proxies = net::AddressNetworks::parse(options.trusted_proxies);
  if (!proxies) return std::move(proxies).status();
  listen.trusted_proxies = std::move(*proxies);
  for (std::size_t i = 1; i < loops.size(); ++i) listen.further_loops.push_back(&loops[i]->net_loop());
  auto listener = net::Listener::open(loops.first().net_loop(), endpoint, listen, std::move(callbacks));
  if (!listener.is_ok()) return std::move(listener).status();
  listeners_.push_back(std::move(*listener));
  const Endpoint& opened = listeners_.back()->endpoint();
  if (is_private) return opened;
  std::lock_guard lock(mutex_);
  endpoints_.push_back(opened);
  return opened;
}

std::vector<Endpoint> ServerListeners::endpoints() const {
  std::lock_guard lock(mutex_);
  return endpoints_;
}

bool ServerListeners::serves(const Endpoint& endpoint) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(endpoints_.begin(), endpoints_.end(), [&](const Endpoint& opened) {
    if (opened == endpoint) return true;
    const bool is_wildcard =
        opened.host() == Endpoint::every_address || opened.host() == "0.0.0.0" || opened.host() == "::";
    const bool is_loopback =
        endpoint.host() == "localhost" || endpoint.host() == "::1" || endpoint.host().starts_with("127.");
    return is_wildcard && is_loopback && opened.scheme() == endpoint.scheme() && opened.port() == endpoint.port();
  });
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
