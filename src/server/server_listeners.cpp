// SPDX-License-Identifier: MIT
// ServerListeners: opens, reloads and closes listeners.
#include "server/server_listeners.h"

#include <algorithm>
#include <utility>

namespace trunkline::server {
namespace {

/// Returns the same endpoint at the loopback address of IPv6.
Endpoint at_ipv6_loopback(const Endpoint& endpoint) {
  const bool is_tls = endpoint.scheme() == Scheme::tls;
  return Endpoint::parse((is_tls ? "tls://[::1]:" : "tcp://[::1]:") + std::to_string(endpoint.port()))
      .value()
      .with_protocol(endpoint.protocol());
}

}  // namespace

Result<Endpoint> ServerListeners::open(const ServerLoops& loops, const Endpoint& endpoint, const ServerOptions& options,
                                       net::ListenCallbacks callbacks, bool is_private) {
  net::ListenOptions listen{
      .transport = options.transport, .tls = options.tls, .handshake_timeout = options.limits.handshake_timeout};
  auto proxies = net::AddressNetworks::parse(options.trusted_proxies);
  if (!proxies) return std::move(proxies).status();
  listen.trusted_proxies = std::move(*proxies);
  for (std::size_t i = 1; i < loops.size(); ++i) listen.further_loops.push_back(&loops[i]->net_loop());
  const OpenOne open_one = [&](const Endpoint& one) {
    return net::Listener::open(loops.first().net_loop(), one, listen, callbacks);
  };
  const std::size_t place = listeners_.size();
  const bool is_ip = endpoint.scheme() == Scheme::tcp || endpoint.scheme() == Scheme::tls;
  if (is_ip && endpoint.host() == "localhost") {
    if (Status status = open_localhost(open_one, endpoint); !status.is_ok()) return status;
  } else {
    auto listener = open_one(endpoint);
    if (!listener.is_ok()) return std::move(listener).status();
    listeners_.push_back(std::move(*listener));
  }
  const Endpoint& opened = listeners_[place]->endpoint();
  if (is_private) return opened;
  std::lock_guard lock(mutex_);
  endpoints_.push_back(opened);
  return opened;
}

/// Listens on both loopback addresses. Clients may try either, so no other process may have the port of one of them.
Status ServerListeners::open_localhost(const OpenOne& open_one, const Endpoint& endpoint) {
  // The port that the system chooses for one address may be in use at the other one.
  constexpr int most_ports = 16;
  for (int tries = 1;; ++tries) {
    auto first = open_one(endpoint);
    if (!first.is_ok()) return std::move(first).status();
    auto second = open_one(at_ipv6_loopback((*first)->endpoint()));
    const bool is_taken = second.status().code() == StatusCode::already_exists;
    if (is_taken && endpoint.port() == 0 && tries < most_ports) continue;
    if (is_taken) return std::move(second).status();
    listeners_.push_back(std::move(*first));
    // Any other error says that the system has no IPv6.
    if (second.is_ok()) listeners_.push_back(std::move(*second));
    return {};
  }
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
    const bool is_localhost =
        endpoint.host() == "localhost" || endpoint.host() == "::1" || endpoint.host() == "127.0.0.1";
    const bool is_loopback = is_localhost || endpoint.host().starts_with("127.");
    const bool is_there = (is_wildcard && is_loopback) || (opened.host() == "localhost" && is_localhost);
    return is_there && opened.scheme() == endpoint.scheme() && opened.port() == endpoint.port();
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
