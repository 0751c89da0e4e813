// SPDX-License-Identifier: MIT
// ConnectionPool: attempts to connect, their failures, and the choice between connections.
#include "client/connection_pool.h"

#include "base/wall_time.h"

#include <algorithm>
#include <utility>

namespace trunkline::client {

namespace {

/// Returns a hint: a server of TLS may close a connection without TLS silently, or wait for more than it gets.
std::string_view hint_about_tls(const ClientConnection& connection) noexcept {
  if (connection.has_peer_spoken() || !connection.peer().starts_with("tcp://")) return {};
  return "; a server that expects TLS may say nothing to a client without it";
}

std::unique_ptr<ServerMeter> own_meter_of(const ConnectionSetup& setup) {
  if (setup.meter != nullptr || !setup.options.circuit_breaker.enabled) return nullptr;
  return std::make_unique<ServerMeter>(setup.options.circuit_breaker);
}

ConnectionSetup with_meter(const ConnectionSetup& setup, ServerMeter* own) {
  ConnectionSetup result = setup;
  if (own != nullptr) result.meter = own;
  return result;
}

}  // namespace

ConnectionPool::ConnectionPool(const ConnectionSetup& setup, SourceOwner& owner, std::unique_ptr<Connector> connector)
    : own_meter_(own_meter_of(setup)),
      setup_(with_meter(setup, own_meter_.get())),
      owner_(owner),
      connector_(std::move(connector)),
      max_connections_(setup.options.max_connections),
      least_life_(std::min<base::Duration>(setup.options.backoff.initial, productive_life)),
      backoff_(setup.options.backoff) {
  sole_ = this;
}

ConnectionPool::~ConnectionPool() { detach(); }

ClientConnection* ConnectionPool::pick(const MethodEntry& method, const balance::CallHints&) {
  const ServerMeter* const meter = setup_.meter;
  if (meter != nullptr && !meter->breakers().admits(method.key, setup_.loop.now())) return nullptr;
  return pick();
}

std::optional<OpenBreakers> ConnectionPool::open_breakers(const MethodEntry& method) const {
  const base::TimePoint now = setup_.loop.now();
  if (setup_.meter == nullptr || !is_ready() || setup_.meter->breakers().admits(method.key, now)) return std::nullopt;
  const base::TimePoint until = setup_.meter->breakers().retry_at(method.key, now);
  const std::string text = "the circuit breaker for " + target() + " is open until " +
                           base::wall_time_after(until - now) + ", because of failures";
  return OpenBreakers{.error = {StatusCode::unavailable, text}, .until = until};
}

ClientConnection* ConnectionPool::pick_from_many() {
  ClientConnection* best = nullptr;
  for (const auto& connection : connections_) {
    if (best != nullptr && connection->open_calls() >= best->open_calls()) continue;
    if (connection->can_start()) best = connection.get();
  }
  if (best != nullptr && best->open_calls() == 0) return best;
  connect();
  return best != nullptr && has_share(*best) ? nullptr : best;
}

/// Returns how many calls there are, including those that wait and the one for which a connection is looked for.
std::size_t ConnectionPool::calls() const noexcept {
  std::size_t count = std::max<std::size_t>(owner_.waiting_calls(), 1);
  for (const auto& connection : connections_) count += connection->open_calls();
  return count;
}

/// Returns true if connections are being made that have no calls yet.
bool ConnectionPool::has_more_to_come() const noexcept {
  const auto is_to_come = [](const auto& connection) {
    return !connection->is_opened() && connection->open_calls() == 0;
  };
  return dials() > 0 || std::any_of(connections_.begin(), connections_.end(), is_to_come);
}

/// Returns true if there are more calls than connections, not counting those that take no call.
bool ConnectionPool::lacks_connections() const noexcept {
  if (connections_.size() + dials() >= max_connections_) return false;
  const auto serves_one = [](const auto& connection) {
    return connection->open_calls() > 0 || !connection->is_opened() || connection->is_free();
  };
  const auto serving = std::count_if(connections_.begin(), connections_.end(), serves_one);
  return calls() > dials() + static_cast<std::size_t>(serving);
}

/// Returns true if the connection has its share of the calls that are being shared out.
bool ConnectionPool::has_share(const ClientConnection& connection) const noexcept {
  if (!sharing_timer_.is_scheduled() || !has_more_to_come()) return false;
  const std::size_t connections = connections_.size() + dials();
  return connection.open_calls() >= (calls() + connections - 1) / connections;
}

/// Begins to share out the calls that have waited for the first connection. The others are given as long as it took,
/// and a little more, since many handshakes at once take longer than one. What took long was hardly the handshake, but
/// an address where nobody answered.
void ConnectionPool::begin_sharing() {
  constexpr std::chrono::milliseconds allowance{10};
  constexpr base::Duration longest = std::chrono::milliseconds(200);
  if (max_connections_ == 1 || has_one_call_ || !connections_.empty() || owner_.waiting_calls() < 2) return;
  const base::TimePoint now = setup_.loop.now();
  setup_.loop.timers().schedule(sharing_timer_,
                                base::deadline_after(now, std::min(now - dialed_at_, longest) + allowance));
}

/// A connection that was to get a share of the calls is not to come: the others get it.
void ConnectionPool::share_out_again() {
  if (sharing_timer_.is_scheduled()) owner_.source_has_room();
}

void ConnectionPool::on_sharing_over(base::Timer&, void* owner, base::TimePoint) {
  static_cast<ConnectionPool*>(owner)->owner_.source_has_room();
}

// --- attempts ---

void ConnectionPool::connect() {
  if (is_stopped_ || backoff_timer_.is_scheduled() || !lacks_connections()) return;
  if (!is_dialing_) dial();
  constexpr std::size_t most_dials = 16;
  const bool may_dial_further = may_dial_further_ && !was_replaced_ && !connections_.empty();
  while (may_dial_further && dials() < most_dials && lacks_connections()) dial_further();
}

void ConnectionPool::dial() {
  is_dialing_ = true;
  has_more_addresses_ = true;
  dialed_at_ = setup_.loop.now();
  owner_.source_changed();
  is_dial_wanted_ = std::make_shared<bool>(true);
  dial_ = connector_->connect([this, wanted = is_dial_wanted_](Result<std::unique_ptr<net::Transport>> transport) {
    if (*wanted) dialed(std::move(transport));
  });
}

/// Dials beside the attempt that is under way.
void ConnectionPool::dial_further() {
  const auto further = std::make_shared<FurtherDial>();
  further_dials_.push_back(further);
  const std::weak_ptr<FurtherDial> weak = further;
  further->dial = connector_->connect([this, weak](Result<std::unique_ptr<net::Transport>> transport) {
    if (const auto dial = weak.lock()) dialed_further(dial, std::move(transport));
  });
}

void ConnectionPool::dialed_further(const std::shared_ptr<FurtherDial>& further,
                                    Result<std::unique_ptr<net::Transport>> transport) {
  if (!transport && further->dial != nullptr && further->dial->has_more()) return further->dial->hurry();
  std::erase(further_dials_, further);
  may_dial_further_ = transport.is_ok() && connector_->check((*transport)->peer()).is_ok();
  if (!may_dial_further_) {
    if (wants_more_than(0)) connect();
    owner_.source_changed();
    return share_out_again();
  }
  const session::Protocol& protocol = connector_->protocol((*transport)->peer());
  connections_.push_back(std::make_shared<ClientConnection>(setup_, *this, *std::move(transport), protocol));
  connections_.back()->start();
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
  const ChannelOptions& options = setup_.options;
  has_one_call_ = protocol.has_one_call;
  max_connections_ = has_one_call_ ? options.max_http1_connections : options.max_connections;
  const auto made = std::make_shared<ClientConnection>(setup_, *this, *std::move(transport), protocol);
  candidates_.push_back(made);
  made->start();
  if (setup_.options.early_calls) admit(*made);
}

/// Takes the connection that has won the race of the addresses.
void ConnectionPool::admit(ClientConnection& winner) {
  end_dial();
  may_dial_further_ = true;
  begin_sharing();
  for (auto& candidate : std::exchange(candidates_, {})) {
    if (candidate.get() == &winner) {
      connections_.push_back(std::move(candidate));
    } else {
      draining_.push_back(candidate);
      candidate->close(Status());
    }
  }
  owner_.source_has_room();
}

void ConnectionPool::end_dial() {
  if (is_dial_wanted_ != nullptr) *is_dial_wanted_ = false;
  dial_.reset();
  is_dialing_ = false;
}

void ConnectionPool::close_candidates() {
  for (auto& candidate : std::exchange(candidates_, {})) {
    draining_.push_back(candidate);
    candidate->close(Status());
  }
}

/// Returns true if the server speaks HTTP/1.1, and such a connection is being made. No call was lost: it is no failure.
bool ConnectionPool::try_http1(const ClientConnection& connection) {
  if (!connection.was_answered_in_http1() || !connector_->learn_http1()) return false;
  end_dial();
  close_candidates();
  connect();
  return true;
}

/// Notes that one address has led to nothing.
void ConnectionPool::candidate_failed(Status error) {
  if (has_more_addresses_ && dial_ != nullptr) {
    last_error_ = std::move(error);
    dial_->hurry();
  } else if (candidates_.empty()) {
    end_dial();
    attempt_failed(std::move(error), false);
    share_out_again();
  } else {
    last_error_ = std::move(error);
  }
}

void ConnectionPool::attempt_failed(Status error, bool had_hello) {
  last_error_ = std::move(error);
  had_hello_ = had_hello;
  // Connections that are lost together count as one failure.
  if (!backoff_timer_.is_scheduled()) begin_pause();
  if (connections_.empty() && !is_dialing()) owner_.connecting_failed(last_error_);
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

/// Notes that a connection that was opened takes no further calls.
void ConnectionPool::note_end(const ClientConnection& connection) {
  if (is_stopped_ || connection.is_closing()) return;
  if (connection.is_productive(least_life_)) return note_productive();
  // A server may end a connection that nobody needs.
  if (!connection.is_used() && !wants_another()) return;
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
  if (self.wants_another()) self.connect();
}

// --- what the connections report ---

void ConnectionPool::connection_opened(ClientConnection& connection) {
  last_error_ = Status();
  const bool is_candidate = find(candidates_, connection) != candidates_.end();
  if (is_candidate) return admit(connection), owner_.source_changed();
  owner_.source_changed();
  owner_.source_has_room();
}

void ConnectionPool::connection_responded(ClientConnection&) { note_productive(); }

void ConnectionPool::connection_has_room(ClientConnection&) { owner_.source_has_room(); }

void ConnectionPool::connection_draining(ClientConnection& connection) {
  if (move_to_draining(connection)) note_end(connection);
  replace(connection);
  owner_.source_changed();
}

void ConnectionPool::connection_closed(ClientConnection& connection, const Status& reason) {
  const auto candidate = find(candidates_, connection);
  const bool is_candidate = candidate != candidates_.end();
  const bool is_early = !connection.is_opened() && find(connections_, connection) != connections_.end();
  if (is_candidate) candidates_.erase(candidate);
  move_to_draining(connection);
  std::erase_if(draining_, [&](const auto& other) { return other.get() == &connection; });
  if (!is_stopped_ && (is_candidate || is_early) && try_http1(connection)) {
    // The pool goes on with another connection, which speaks HTTP/1.1.
  } else if (!is_stopped_ && (is_candidate || is_early)) {
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
    replace(connection);
  }
  owner_.source_changed();
  share_out_again();
}

void ConnectionPool::replace(const ClientConnection& ended) {
  // A connection that this side has closed was idle, or is not wanted any more.
  if (ended.is_closing() ? wants_more_than(0) : wants_another()) connect();
}

/// Returns true if more connections are wanted. Those with one call each come and go, and one of them is kept.
bool ConnectionPool::wants_more_than(std::size_t count) const noexcept {
  const bool is_kept = !has_one_call_ || connections_.size() <= count;
  return owner_.wants_connection() || (is_kept && owner_.keeps_connection());
}

bool ConnectionPool::wants_another() {
  return wants_more_than(0) || (connections_.empty() && owner_.replaces_connection());
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

std::shared_ptr<ClientConnection> ConnectionPool::opened() const noexcept {
  const auto found =
      std::find_if(connections_.begin(), connections_.end(), [](const auto& c) { return c->is_opened(); });
  return found != connections_.end() ? *found : nullptr;
}

ChannelLifecycle::Event ConnectionPool::condition() const noexcept {
  using Event = ChannelLifecycle::Event;
  if (is_ready()) return Event::pool_ready;
  if (is_failing()) return Event::pool_failing;
  if (is_dialing() || !connections_.empty()) return Event::pool_connecting;
  return draining_.empty() ? Event::pool_empty : Event::pool_draining;
}

session::AwaitedLimit ConnectionPool::awaited_limit() const noexcept {
  for (const auto& connection : connections_) {
    if (const session::AwaitedLimit limit = connection->awaited_limit()) return limit;
  }
  // Each connection has its call.
  if (!has_one_call_ || connections_.size() < max_connections_) return {};
  return {session::AwaitedLimit::Owner::channel, "max_http1_connections", max_connections_};
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

std::vector<ServerState> ConnectionPool::servers() const {
  ServerState state{.endpoint = connector_->endpoint(), .is_ready = is_ready(), .last_error = last_error_};
  state.open_calls = open_calls();
  if (const ServerMeter* const meter = setup_.meter) {
    state.open_breakers = meter->breakers().open();
    state.started_calls = meter->load().started();
    state.failed_calls = meter->load().failed();
    state.latency = std::chrono::nanoseconds(static_cast<std::int64_t>(meter->load().latency()));
  }
  return {std::move(state)};
}

// --- drain and close ---

void ConnectionPool::drain() {
  is_stopped_ = true;
  end_dial();
  further_dials_.clear();
  backoff_timer_.cancel();
  sharing_timer_.cancel();
  close_candidates();
  // The loop iterates over a copy, because a connection that drains may close at once and leave the list.
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
