// SPDX-License-Identifier: MIT
// A server's listeners, and which loop gets a new connection.
#include "server/server_core.h"

#include <algorithm>
#include <string>
#include <utility>

namespace trunkline::server {

Status ServerCore::on_first_loop(const std::function<Status()>& task) {
  struct Outcome {
    bool is_wanted = true;
    bool is_done = false;
    Status status;
  };
  net::Loop& loop = loops_.front()->net_loop();
  const bool is_worker = is_worker_of_users_loop();
  {
    std::unique_lock lock(mutex_);
    if (is_leaving()) return {StatusCode::failed_precondition, "the server has been stopped"};
    if ((runners_ > 0 && !loop.is_current()) || is_worker) {
      const auto outcome = std::make_shared<Outcome>();
      loop.post(while_alive([this, outcome, task] {
        {
          // Whoever asked has gone when the server has been stopped meanwhile.
          std::lock_guard posted_lock(mutex_);
          if (!outcome->is_wanted || is_leaving()) return;
        }
        Status status = task();
        std::lock_guard posted_lock(mutex_);
        outcome->status = std::move(status);
        outcome->is_done = true;
        changed_.notify_all();
      }));
      // Not until it is stopped: that may take the handler that waits here.
      changed_.wait(lock, [&] { return outcome->is_done || is_leaving() || (runners_ == 0 && !is_worker); });
      outcome->is_wanted = false;
      if (!outcome->is_done) return {StatusCode::failed_precondition, "the server has been stopped"};
      return outcome->status;
    }
  }
  return task();
}

Result<Endpoint> ServerCore::listen(std::string_view uri) {
  auto endpoint = Endpoint::parse(uri);
  if (!endpoint.is_ok()) return std::move(endpoint).status();
  const auto opened = std::make_shared<Result<Endpoint>>();
  Status status = on_first_loop([this, asked = *endpoint, opened] {
    *opened = open_listener(asked);
    return opened->status();
  });
  if (!status.is_ok()) return status;
  return *opened;
}

Result<Endpoint> ServerCore::open_listener(const Endpoint& endpoint) {
  const ServerOptions& options = environment_->options;
  net::ListenCallbacks callbacks;
  callbacks.place = [this](const std::string& peer) { return place_connection(peer); };
  callbacks.on_accept = [this](net::Arrival arrival) { loop_of(*arrival.transport).accept(std::move(arrival)); };
  callbacks.on_error = [this](const Status& error) { environment_->log(LogLevel::warning, error.message(), {}, {}); };
  auto listener = net::Listener::open(
      loops_.front()->net_loop(), endpoint,
      {.transport = options.transport, .tls = options.tls, .handshake_timeout = options.limits.handshake_timeout},
      std::move(callbacks));
  if (!listener.is_ok()) return std::move(listener).status();
  listeners_.push_back(std::move(*listener));
  const Endpoint& opened = listeners_.back()->endpoint();
  std::lock_guard lock(mutex_);
  endpoints_.push_back(opened);
  return opened;
}

std::vector<Endpoint> ServerCore::endpoints() const {
  std::lock_guard lock(mutex_);
  return endpoints_;
}

Status ServerCore::reload_tls() {
  return on_first_loop([this] {
    bool any = false;
    for (const auto& listener : listeners_) {
      if (listener->endpoint().scheme() != Scheme::tls) continue;
      any = true;
      if (Status status = listener->reload_tls(); !status.is_ok()) return status;
    }
    return any ? Status()
               : Status(StatusCode::failed_precondition, "reload tls: the server listens on no tls:// endpoint");
  });
}

void ServerCore::close_listeners() {
  listeners_.clear();
  std::lock_guard lock(mutex_);
  endpoints_.clear();
}

net::Placement ServerCore::place_connection(const std::string& peer) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < loops_.size(); ++i) {
    if (loops_[i]->load() < loops_[best]->load()) best = i;
  }
  net::Place place = loops_[best]->take_place();
  if (place != nullptr) return {&loops_[best]->net_loop(), std::move(place)};
  loops_.front()->turn_away(peer);
  return {};
}

ServerLoop& ServerCore::loop_of(const net::Transport& transport) const {
  const auto found = std::find_if(loops_.begin(), loops_.end(),
                                  [&](const auto& loop) { return &loop->net_loop() == &transport.loop(); });
  return **found;
}

void ServerCore::accept_transport(std::unique_ptr<net::Transport> transport) {
  ServerLoop& loop = loop_of(*transport);
  net::Place place = loop.take_place();
  if (place != nullptr) return loop.accept({std::move(transport), std::move(place), loop.net_loop().now()});
  loop.turn_away(transport->peer().address);
  transport->close();
}

}  // namespace trunkline::server
