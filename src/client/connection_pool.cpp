// SPDX-License-Identifier: MIT
// Attempts to connect, their failures, and the choice between connections.
#include "client/connection_pool.h"

#include <algorithm>
#include <utility>

namespace trunkline::client {

namespace {

/// A server of TLS may close a connection without TLS silently, or wait for more than it gets.
std::string_view hint_about_tls(const ClientConnection& connection) noexcept {
  if (connection.has_peer_spoken() || !connection.peer().starts_with("tcp://")) return {};
  return "; a server that expects TLS may say nothing to a client without it";
}

}  // namespace

ConnectionPool::ConnectionPool(const ConnectionSetup& setup, PoolOwner& owner, std::unique_ptr<Connector> connector)
    : setup_(setup),
      owner_(owner),
      connector_(std::move(connector)),
      max_connections_(setup.options.max_connections),
      least_life_(std::min<base::Duration>(setup.options.backoff.initial, productive_life)),
      backoff_(setup.options.backoff) {}

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

// --- attempts ---

void ConnectionPool::connect() {
  if (is_stopped_ || is_dialing_ || backoff_timer_.is_scheduled() || connections_.size() >= max_connections_) return;
  is_dialing_ = true;
  has_more_addresses_ = true;
  owner_.pool_changed();
  is_dial_wanted_ = std::make_shared<bool>(true);
  dial_ = connector_->connect([this, wanted = is_dial_wanted_](Result<std::unique_ptr<net::Transport>> transport) {
    if (*wanted) dialed(std::move(transport));
  });
}

void ConnectionPool::dialed(Result<std::unique_ptr<net::Transport>> transport) {
  // The dial may own the callback that is running.
  const std::shared_ptr<net::Dial> dial = dial_;
  has_more_addresses_ = transport.is_ok() && dial != nullptr && dial->has_more();
  if (!transport) return candidate_failed(std::move(transport).status());
  if (Status usable = connector_->check((*transport)->peer()); !usable.is_ok()) {
    usable.set_may_have_run(false);
    return candidate_failed(std::move(usable));
  }
  const session::Protocol& protocol = connector_->protocol((*transport)->peer());
  const auto made = std::make_shared<ClientConnection>(setup_, *this, *std::move(transport));
  candidates_.push_back(made);
  made->start(protocol);
  if (setup_.options.early_calls) admit(*made);
}

/// The connection has won the race of the addresses.
void ConnectionPool::admit(ClientConnection& winner) {
  end_dial();
  for (auto& candidate : std::exchange(candidates_, {})) {
    if (candidate.get() == &winner) {
      connections_.push_back(std::move(candidate));
    } else {
      draining_.push_back(candidate);
      candidate->close(Status());
    }
  }
  owner_.pool_has_room();
}

void ConnectionPool::end_dial() {
  if (is_dial_wanted_ != nullptr) *is_dial_wanted_ = false;
  dial_.reset();
  is_dialing_ = false;
}

/// One address has led to nothing.
void ConnectionPool::candidate_failed(Status error) {
  if (has_more_addresses_ && dial_ != nullptr) {
    last_error_ = std::move(error);
    dial_->hurry();
  } else if (candidates_.empty()) {
    end_dial();
    attempt_failed(std::move(error), false);
  } else {
    last_error_ = std::move(error);
  }
}

void ConnectionPool::attempt_failed(Status error, bool had_hello) {
  last_error_ = std::move(error);
  had_hello_ = had_hello;
  // Connections that are lost together count as one failure.
  if (!backoff_timer_.is_scheduled()) begin_pause();
  if (connections_.empty() && !is_dialing_) owner_.connecting_failed(last_error_);
}

void ConnectionPool::begin_pause() {
  failed_at_ = setup_.loop.now();
  const base::Duration pause = backoff_.next();
  setup_.loop.timers().schedule(backoff_timer_, base::deadline_after(failed_at_, pause));
  if (setup_.options.log) {
    const auto pause_ms = std::chrono::duration_cast<std::chrono::milliseconds>(pause).count();
    log_warning("connect " + target() + " failed, retry after " + std::to_string(pause_ms) +
                    " ms at the latest: " + std::string(last_error_.message()),
                target());
  }
}

/// The connection, which was opened, takes no further calls.
void ConnectionPool::note_end(const ClientConnection& connection) {
  if (is_stopped_ || connection.is_closing()) return;
  if (connection.is_productive(least_life_)) return note_productive();
  // A server may end a connection that nobody needs.
  if (!connection.is_used() && !owner_.wants_connection()) return;
  if (!std::exchange(was_replaced_, true)) return;
  attempt_failed(Status(StatusCode::unavailable,
                        "connect " + connection.peer() + ": the server ended the connection before it served a call",
                        StatusOrigin::transport),
                 true);
}

void ConnectionPool::note_productive() noexcept {
  backoff_.reset();
  was_replaced_ = false;
  // The server is back before the pause is over.
  backoff_timer_.cancel();
}

void ConnectionPool::log_warning(const std::string& message, std::string_view peer) const noexcept {
  try {
    setup_.options.log({.level = LogLevel::warning, .message = message, .method = {}, .peer = peer});
  } catch (...) {  // There is no further log for what the log throws.
  }
}

void ConnectionPool::hasten(base::TimePoint deadline) {
  if (!backoff_timer_.is_scheduled() || deadline == base::never) return;
  const base::TimePoint now = setup_.loop.now();
  const base::TimePoint at = std::max(failed_at_ + least_wait, now + (deadline - now) / 2);
  if (at < backoff_timer_.deadline()) setup_.loop.timers().schedule(backoff_timer_, at);
}

void ConnectionPool::on_backoff(base::Timer&, void* owner, base::TimePoint) {
  auto& self = *static_cast<ConnectionPool*>(owner);
  if (self.owner_.wants_connection()) self.connect();
}

// --- what the connections report ---

void ConnectionPool::connection_opened(ClientConnection& connection) {
  last_error_ = Status();
  const bool is_candidate = find(candidates_, connection) != candidates_.end();
  if (is_candidate) return admit(connection), owner_.pool_changed();
  owner_.pool_changed();
  owner_.pool_has_room();
}

void ConnectionPool::connection_responded(ClientConnection&) { note_productive(); }

void ConnectionPool::connection_has_room(ClientConnection&) { owner_.pool_has_room(); }

void ConnectionPool::connection_draining(ClientConnection& connection) {
  if (move_to_draining(connection)) note_end(connection);
  if (owner_.wants_connection()) connect();
  owner_.pool_changed();
}

void ConnectionPool::connection_closed(ClientConnection& connection, const Status& reason) {
  const auto candidate = find(candidates_, connection);
  const bool is_candidate = candidate != candidates_.end();
  const bool is_early = !connection.is_opened() && find(connections_, connection) != connections_.end();
  if (is_candidate) candidates_.erase(candidate);
  move_to_draining(connection);
  std::erase_if(draining_, [&](const auto& other) { return other.get() == &connection; });
  if (!is_stopped_ && (is_candidate || is_early)) {
    const StatusCode code = reason.is_ok() ? StatusCode::unavailable : reason.code();
    const std::string_view text = reason.is_ok() ? "closed before its hello" : reason.message();
    const StatusOrigin origin = reason.is_ok() ? StatusOrigin::transport : reason.origin();
    std::string message = "connect " + connection.peer() + ": " + std::string(text);
    message += hint_about_tls(connection);
    Status error(code, message, origin);
    is_candidate ? candidate_failed(std::move(error)) : attempt_failed(std::move(error), false);
  } else if (!is_stopped_ && connection.is_opened()) {
    if (!reason.is_ok() && connections_.empty()) last_error_ = reason;
    if (!reason.is_ok() && setup_.options.log) {
      log_warning("connection to " + connection.peer() + " lost: " + std::string(reason.message()), connection.peer());
    }
    if (owner_.wants_connection()) connect();
  }
  owner_.pool_changed();
}

ConnectionPool::Connections::iterator ConnectionPool::find(Connections& among, const ClientConnection& connection) {
  return std::find_if(among.begin(), among.end(), [&](const auto& other) { return other.get() == &connection; });
}

bool ConnectionPool::move_to_draining(ClientConnection& connection) {
  const auto found = find(connections_, connection);
  if (found == connections_.end()) return false;
  draining_.push_back(std::move(*found));
  connections_.erase(found);
  return true;
}

// --- state ---

bool ConnectionPool::is_ready() const noexcept {
  return std::any_of(connections_.begin(), connections_.end(), [](const auto& c) { return c->is_opened(); });
}

ChannelLifecycle::Event ConnectionPool::condition() const noexcept {
  using Event = ChannelLifecycle::Event;
  if (is_ready()) return Event::pool_ready;
  if (is_failing()) return Event::pool_failing;
  if (is_dialing_ || !connections_.empty()) return Event::pool_connecting;
  return draining_.empty() ? Event::pool_empty : Event::pool_draining;
}

std::size_t ConnectionPool::open_calls() const noexcept {
  std::size_t count = 0;
  for (const auto& connection : connections_) count += connection->open_calls();
  for (const auto& connection : draining_) count += connection->open_calls();
  return count;
}

bool ConnectionPool::has_work_left() const noexcept {
  const auto has_work = [](const auto& connection) { return connection->has_work_left(); };
  return std::any_of(connections_.begin(), connections_.end(), has_work) ||
         std::any_of(draining_.begin(), draining_.end(), has_work);
}

// --- drain and close ---

void ConnectionPool::drain() {
  is_stopped_ = true;
  end_dial();
  backoff_timer_.cancel();
  for (auto& candidate : std::exchange(candidates_, {})) {
    draining_.push_back(candidate);
    candidate->close(Status());
  }
  // Iterates over a copy, because a connection that drains may close at once and leave the list.
  for (const auto& connection : Connections(connections_)) {
    move_to_draining(*connection);
    connection->drain();
  }
}

void ConnectionPool::close_all(const Status& reason) {
  drain();
  for (const auto& connection : Connections(draining_)) connection->close(reason);
}

void ConnectionPool::end_calls() {
  for (const auto& connection : Connections(draining_)) connection->end_calls();
}

void ConnectionPool::detach() {
  drain();
  for (const auto& connection : draining_) connection->detach();
  draining_.clear();
}

}  // namespace trunkline::client
