// SPDX-License-Identifier: MIT
// Attempts, failures, and the choice between connections.
#include "client/connection_pool.h"

#include "client/channel_core.h"

#include <algorithm>
#include <utility>

namespace trunkline::client {

ConnectionPool::ConnectionPool(ChannelCore& core, std::unique_ptr<Connector> connector)
    : core_(core),
      connector_(std::move(connector)),
      most_(core.options().max_connections),
      backoff_(core.options().backoff) {}

ConnectionPool::~ConnectionPool() { detach(); }

ClientConnection* ConnectionPool::pick_from_many() {
  ClientConnection* best = nullptr;
  for (const auto& connection : connections_) {
    if (best != nullptr && connection->open_calls() >= best->open_calls()) continue;
    if (connection->can_start()) best = connection.get();
  }
  if (best == nullptr || best->open_calls() > 0) connect();
  return best;
}

void ConnectionPool::connect() {
  if (stopped_ || dialing_ || backoff_timer_.is_scheduled() || connections_.size() >= most_) return;
  dialing_ = true;
  core_.refresh_state();
  dial_wanted_ = std::make_shared<bool>(true);
  dial_ = connector_->connect([this, wanted = dial_wanted_](Result<std::unique_ptr<net::Transport>> transport) {
    if (*wanted) dialed(std::move(transport));
  });
}

void ConnectionPool::dialed(Result<std::unique_ptr<net::Transport>> transport) {
  const std::shared_ptr<net::Dial> done = std::move(dial_);  // it may own what is running here
  dialing_ = false;
  if (!transport) return failed(std::move(transport).status());
  connections_.push_back(std::make_shared<ClientConnection>(core_, *std::move(transport)));
  connections_.back()->start();
  core_.pump();
}

void ConnectionPool::failed(Status error) {
  last_error_ = std::move(error);
  core_.loop().timers().schedule(backoff_timer_, base::deadline_after(core_.loop().now(), backoff_.next()));
  if (connections_.empty()) core_.connecting_failed(last_error_);
}

void ConnectionPool::on_backoff(base::Timer&, void* owner, base::TimePoint) {
  auto& self = *static_cast<ConnectionPool*>(owner);
  if (self.core_.wants_connection()) self.connect();
}

bool ConnectionPool::is_connecting() const noexcept { return dialing_ || !connections_.empty(); }

bool ConnectionPool::is_ready() const noexcept {
  return std::any_of(connections_.begin(), connections_.end(), [](const auto& c) { return c->is_opened(); });
}

void ConnectionPool::opened() {
  backoff_.reset();
  last_error_ = Status();
}

void ConnectionPool::leaves(ClientConnection& connection) {
  const auto found = std::find_if(connections_.begin(), connections_.end(),
                                  [&](const auto& candidate) { return candidate.get() == &connection; });
  if (found == connections_.end()) return;
  leaving_.push_back(std::move(*found));
  connections_.erase(found);
}

void ConnectionPool::closed(ClientConnection& connection, const Status& reason) {
  leaves(connection);
  std::erase_if(leaving_, [&](const auto& candidate) { return candidate.get() == &connection; });
  if (stopped_) return;
  if (!connection.is_opened()) {
    return failed(reason.is_ok() ? Status(StatusCode::unavailable, "connect " + target() + ": closed before its hello",
                                          StatusOrigin::transport)
                                 : reason);
  }
  if (!reason.is_ok() && connections_.empty()) last_error_ = reason;
  if (core_.wants_connection()) connect();
}

void ConnectionPool::drain() {
  stopped_ = true;
  if (dial_wanted_ != nullptr) *dial_wanted_ = false;
  dial_.reset();
  dialing_ = false;
  backoff_timer_.cancel();
  for (const auto& connection : std::vector(connections_)) {
    leaves(*connection);
    connection->drain();
  }
}

void ConnectionPool::close_all(const Status& reason) {
  drain();
  for (const auto& connection : std::vector(leaving_)) connection->close(reason);
}

void ConnectionPool::end_calls() {
  for (const auto& connection : std::vector(leaving_)) connection->end_calls();
}

std::size_t ConnectionPool::open_calls() const noexcept {
  std::size_t count = 0;
  for (const auto& connection : connections_) count += connection->open_calls();
  for (const auto& connection : leaving_) count += connection->open_calls();
  return count;
}

bool ConnectionPool::has_work_left() const noexcept {
  const auto has_work = [](const auto& connection) { return connection->has_work_left(); };
  return std::any_of(connections_.begin(), connections_.end(), has_work) ||
         std::any_of(leaving_.begin(), leaving_.end(), has_work);
}

void ConnectionPool::detach() {
  drain();
  for (const auto& connection : leaving_) connection->detach();
  leaving_.clear();
}

}  // namespace trunkline::client
