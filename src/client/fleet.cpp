// SPDX-License-Identifier: MIT
// Fleet: handles what resolver and servers report, and chooses a server.
#include "client/fleet.h"

#include "balance/make_policy.h"
#include "balance/subset.h"
#include "base/exception_text.h"
#include "base/random_seed.h"
#include "base/wall_time.h"
#include "client/options_check.h"
#include "client/service_rules.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace trunkline::client {

namespace {

FleetServer& server_of(const balance::ServerLoad& load) noexcept { return *static_cast<FleetServer*>(load.owner); }

/// Returns what is wrong with a server that the resolver reports; empty if nothing is.
std::string fault_of(const ResolvedServer& server) {
  // The policies divide by weights. A NaN is refused, too.
  constexpr double max_weight = 1e6;
  if (!(server.weight > 0 && server.weight <= max_weight)) {
    return " has the weight " + std::to_string(server.weight) + ", which is not more than 0 and at most 1e6";
  }
  if (!is_authority(server.host_name)) {
    return " has a host_name that is not up to 1024 printable characters without '@' and '/'";
  }
  return {};
}

/// Drops all but the first of several entries for the same server.
void drop_duplicates(std::vector<ResolvedServer>& servers) {
  std::unordered_set<std::string> listed;
  std::erase_if(servers,
                [&](const ResolvedServer& server) { return !listed.insert(FleetServer::key_of(server)).second; });
}

std::unique_ptr<balance::Policy> make_policy(const ConnectionSetup& setup) {
  BalancingOptions options = setup.options.balancing;
  options.policy = setup.rules.balancing_policy();
  return balance::make_policy(options);
}

}  // namespace

Fleet::Fleet(const ConnectionSetup& setup, SourceOwner& owner, FleetParts parts)
    : setup_(setup),
      owner_(owner),
      parts_(std::move(parts)),
      policy_(make_policy(setup)),
      policy_kind_(setup.rules.balancing_policy()),
      detector_(setup.options.balancing.outliers, setup.loop.now()),
      client_(setup.options.balancing.seed != 0 ? setup.options.balancing.seed : base::random_seed()),
      sweep_timer_(
          [](base::Timer&, void* self, base::TimePoint now) { static_cast<Fleet*>(self)->sweep_outliers(now); }, this),
      choose_again_([](void* self) { static_cast<Fleet*>(self)->choose_again(); }, this),
      pick_again_([](void* self) { static_cast<Fleet*>(self)->owner_.source_has_room(); }, this),
      remove_gone_([](void* self) { static_cast<Fleet*>(self)->remove_gone_servers(); }, this) {}

Fleet::~Fleet() { detach(); }

// --- the choice ---

ClientConnection* Fleet::pick(const MethodEntry& method, const balance::CallHints& hints) {
  if (!sweep_timer_.is_scheduled()) [[unlikely]]
    watch_outliers();
  // If there is one server, there is nothing to choose.
  balance::ServerLoad* const chosen = ready_.size() == 1 ? ready_.front() : policy_->choose(hints, setup_.loop.now());
  if (chosen == nullptr) return nullptr;
  FleetServer& server = server_of(*chosen);
  if (ClientConnection* const connection = pick_on(server, method)) [[likely]]
    return connection;
  if (is_worth_waiting(server, method)) return nullptr;
  return pick_elsewhere(server, method, hints);
}

ClientConnection* Fleet::pick_on(FleetServer& server, const MethodEntry& method) {
  if (!server.breakers().admits(method.key, setup_.loop.now())) [[unlikely]]
    return nullptr;
  return server.pool().pick();
}

/// Returns true if the call waits for this server, which takes it in a moment: the policy has chosen it, and may want
/// calls of one kind on one server.
bool Fleet::is_worth_waiting(FleetServer& server, const MethodEntry& method) const noexcept {
  return server.pool().has_room_soon() && server.breakers().admits(method.key, setup_.loop.now());
}

/// Picks a connection of another server, as the chosen one has no room, or gets no calls of the method. The policy
/// chooses again before all servers are looked at, so that the call does not always go to the same one.
ClientConnection* Fleet::pick_elsewhere(FleetServer& useless, const MethodEntry& method,
                                        const balance::CallHints& hints) {
  if (ready_.size() < 2) return nullptr;
  balance::CallHints others = hints;
  others.avoided.add(&useless.load());
  for (int choice = 1; choice < most_choices; ++choice) {
    balance::ServerLoad* const chosen = policy_->choose(others, setup_.loop.now());
    if (chosen == nullptr) break;
    FleetServer& server = server_of(*chosen);
    if (ClientConnection* const connection = pick_on(server, method)) return connection;
    if (is_worth_waiting(server, method)) return nullptr;
    others.avoided.add(chosen);
  }
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    FleetServer& server = server_of(*ready_[next_look_++ % ready_.size()]);
    if (ClientConnection* const connection = pick_on(server, method)) return connection;
  }
  return nullptr;
}

bool Fleet::has_room_soon() const noexcept {
  return std::any_of(ready_.begin(), ready_.end(),
                     [](const balance::ServerLoad* load) { return server_of(*load).pool().has_room_soon(); });
}

std::optional<OpenBreakers> Fleet::open_breakers(const MethodEntry& method) const {
  const base::TimePoint now = setup_.loop.now();
  const FleetServer* first = nullptr;
  base::TimePoint until = base::never;
  for (const balance::ServerLoad* const load : ready_) {
    const FleetServer& server = server_of(*load);
    if (server.breakers().admits(method.key, now)) return std::nullopt;
    const base::TimePoint again = server.breakers().retry_at(method.key, now);
    if (again >= until) continue;
    until = again;
    first = &server;
  }
  if (first == nullptr) return std::nullopt;
  const std::string text = "the circuit breakers for all " + std::to_string(ready_.size()) +
                           " servers are open because of failures, the first, for " + first->pool().target() +
                           ", until " + base::wall_time_after(until - now);
  return OpenBreakers{.error = {StatusCode::unavailable, text}, .until = until};
}

/// Makes the policy that the service config may have changed. Call choose_among_ready() afterwards.
void Fleet::choose_policy() {
  const BalancingPolicy kind = setup_.rules.balancing_policy();
  if (kind == policy_kind_) return;
  policy_kind_ = kind;
  policy_->set_servers({});
  policy_ = make_policy(setup_);
}

void Fleet::choose_among_ready() {
  ready_.clear();
  std::vector<balance::ServerLoad*> listed;
  for (const auto& server : servers_) {
    if (!server->is_leaving()) listed.push_back(&server->load());
    server->was_ready = server->outlier().is_available = server->is_ready();
  }
  const bool is_panicking = detector_.is_panicking();
  for (const auto& server : servers_) {
    const bool got_calls = server->gets_calls;
    server->gets_calls = server->was_ready && (!server->outlier().is_ejected || is_panicking);
    if (!server->gets_calls) continue;
    if (!got_calls) server->load().begin(setup_.loop.now());
    ready_.push_back(&server->load());
  }
  policy_->set_listed(listed);
  policy_->set_servers(ready_);
  sole_ = listed.size() == 1 && ready_.size() == 1 ? &server_of(*ready_.front()).pool() : nullptr;
  if (!ready_.empty()) return;
  for (const auto& server : servers_) {
    if (!server->is_failing() || server->pool().is_failing() || server->is_leaving()) continue;
    last_error_ = server->reason();
    had_hello_ = false;
  }
}

/// Chooses again, outside of the functions of calls and connections.
void Fleet::choose_again() {
  if (is_stopped_) return;
  choose_among_ready();
  if (detector_.ejected() > 0) setup_.loop.timers().schedule(sweep_timer_, detector_.next_sweep());
  owner_.source_changed();
  if (is_failing()) return owner_.connecting_failed(last_error_);
  owner_.source_has_room();
}

// --- outliers ---

void Fleet::server_judged() { setup_.loop.defer(choose_again_); }

/// Begins to watch for outliers, after a time in which there was nothing to judge.
void Fleet::watch_outliers() {
  if (!setup_.options.balancing.outliers.enabled || is_stopped_) return;
  detector_.restart(setup_.loop.now());
  setup_.loop.timers().schedule(sweep_timer_, detector_.next_sweep());
}

void Fleet::sweep_outliers(base::TimePoint now) {
  if (detector_.sweep(now)) choose_again();
  if (detector_.needs_sweep()) setup_.loop.timers().schedule(sweep_timer_, detector_.next_sweep());
}

// --- names ---

void Fleet::connect() {
  if (is_stopped_) return;
  if (!is_started_) {
    is_started_ = true;
    if (parts_.resolver == nullptr) return resolving_failed(parts_.error);
    return start_resolver();
  }
  for (const auto& server : servers_) {
    if (!server->is_leaving() && server->pool().is_at_rest()) server->pool().connect();
  }
}

/// Starts the resolver. An exception of the application's is a failure of the resolver, not of the call that caused it.
void Fleet::start_resolver() {
  inbox_ = std::make_shared<ResolverInbox>(setup_.loop, *this);
  try {
    parts_.resolver->start(inbox_);
  } catch (...) {
    resolving_failed({StatusCode::unavailable, "resolve " + parts_.target + ": " + base::current_exception_text()});
  }
}

void Fleet::refresh_resolver() {
  if (parts_.resolver == nullptr || inbox_ == nullptr) return;
  try {
    parts_.resolver->refresh();
  } catch (...) {
    resolving_failed({StatusCode::unavailable, "resolve " + parts_.target + ": " + base::current_exception_text()});
  }
}

/// Leaves BalancingOptions::max_servers of the servers.
void Fleet::keep_subset(std::vector<ResolvedServer>& servers) const {
  const std::size_t most = setup_.options.balancing.max_servers;
  if (most == 0 || servers.size() <= most) return;
  std::vector<balance::ServerLoad> loads(servers.size());
  std::vector<balance::ServerLoad*> all;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    loads[i].identity = FleetServer::identity_of(servers[i]);
    loads[i].weight = servers[i].weight;
    loads[i].owner = &servers[i];
    all.push_back(&loads[i]);
  }
  std::vector<ResolvedServer> kept;
  for (const balance::ServerLoad* const load : balance::choose_subset(all, most, client_)) {
    kept.push_back(std::move(*static_cast<ResolvedServer*>(load->owner)));
  }
  servers = std::move(kept);
}

void Fleet::resolved(Resolution resolution) {
  if (is_stopped_) return;
  for (const ResolvedServer& server : resolution.servers) {
    if (const std::string fault = fault_of(server); !fault.empty()) {
      return resolving_failed(
          {StatusCode::unavailable, "resolve " + parts_.target + ": " + server.endpoint.to_string() + fault});
    }
  }
  setup_.rules.update(resolution.service_config);
  choose_policy();
  for (const auto& server : servers_) server->rules_changed();
  // The duplicates go first, because max_servers counts servers.
  drop_duplicates(resolution.servers);
  keep_subset(resolution.servers);
  is_resolved_ = true;
  is_unresolved_ = false;
  std::unordered_map<std::string, FleetServer*> known;
  for (const auto& server : servers_) {
    if (!server->is_leaving()) known.emplace(FleetServer::key_of(server->resolved()), server.get());
  }
  std::vector<FleetServer*> added;
  for (const ResolvedServer& found : resolution.servers) {
    if (const auto server = known.find(FleetServer::key_of(found)); server != known.end()) {
      server->second->update(found);
      known.erase(server);
    } else {
      servers_.push_back(std::make_unique<FleetServer>(setup_, *this, found, parts_.make_connector(found)));
      added.push_back(servers_.back().get());
    }
  }
  for (const auto& [key, server] : known) server->leave();
  // If there is one server, there is nothing to judge.
  const bool judges = setup_.options.balancing.outliers.enabled && resolution.servers.size() > 1;
  for (const auto& server : servers_) {
    if (!server->is_leaving()) server->judge_by(judges ? &detector_ : nullptr);
  }
  choose_among_ready();
  for (FleetServer* const server : added) server->pool().connect();
  if (resolution.servers.empty()) {
    note_failure(
        {StatusCode::unavailable, "resolve " + parts_.target + ": there are no servers", StatusOrigin::transport});
  }
  setup_.loop.defer(remove_gone_);
  owner_.source_changed();
  // A server that has left may have been the last one that might have served the calls that wait.
  if (!resolution.servers.empty() && is_failing()) owner_.connecting_failed(last_error_);
}

void Fleet::resolving_failed(Status error) {
  if (is_stopped_) return;
  if (is_resolved_ && !servers_.empty()) return;
  is_unresolved_ = true;
  note_failure(error);
}

void Fleet::note_failure(const Status& error) {
  last_error_ = error;
  had_hello_ = false;
  owner_.connecting_failed(last_error_);
}

// --- what the servers report ---

void Fleet::server_changed(FleetServer& server) {
  if (server.is_ready() != server.was_ready) choose_among_ready();
  // Calls may have waited for this one, although others have room.
  if (!ready_.empty() && owner_.waiting_calls() > 0) setup_.loop.defer(pick_again_);
  if (server.is_leaving()) setup_.loop.defer(remove_gone_);
  owner_.source_changed();
}

void Fleet::server_has_room(FleetServer& server) {
  if (server.is_ready() != server.was_ready) choose_among_ready();
  owner_.source_has_room();
}

/// Handles the failure of a server. The calls that wait fail only if no server is left that might serve them.
void Fleet::server_failed(FleetServer& server, const Status& error) {
  last_error_ = error;
  had_hello_ = server.pool().had_hello();
  refresh_resolver();
  if (is_failing()) owner_.connecting_failed(last_error_);
}

bool Fleet::keeps_connections() const noexcept {
  return has_waiting_calls() || (!is_stopped_ && setup_.options.idle_timeout.count() == 0);
}

/// Returns true while the fleet is in use. Calls that other servers take at once would never bring a lost one back.
bool Fleet::replaces_connections() {
  if (is_stopped_) return false;
  const bool is_served =
      std::any_of(servers_.begin(), servers_.end(), [](const auto& server) { return server->is_ready(); });
  return is_served && is_in_use();
}

/// Returns true if calls are open, or have begun within idle_timeout. It costs calls nothing: those that have begun
/// since the last look count as if they had begun now, so that use may last for up to two idle_timeouts.
bool Fleet::is_in_use() {
  std::uint64_t calls = 0;
  bool are_open = false;
  for (const auto& server : servers_) {
    calls += server->load().started();
    are_open = are_open || server->load().outstanding() > 0;
  }
  if (std::exchange(counted_calls_, calls) != calls) counted_at_ = setup_.loop.now();
  return are_open || setup_.loop.now() - counted_at_ < setup_.options.idle_timeout;
}

std::size_t Fleet::waiting_calls_of_a_server() const noexcept {
  if (is_stopped_ || servers_.empty()) return 0;
  return (owner_.waiting_calls() + servers_.size() - 1) / servers_.size();
}

void Fleet::remove_gone_servers() {
  std::erase_if(servers_, [](const auto& server) { return server->is_leaving() && server->pool().is_empty(); });
}

// --- state ---

bool Fleet::is_failing() const noexcept {
  if (!ready_.empty()) return false;
  if (is_unresolved_) return true;
  if (!is_resolved_) return false;
  return std::all_of(servers_.begin(), servers_.end(), [](const auto& server) { return server->is_failing(); });
}

ChannelLifecycle::Event Fleet::condition() const noexcept {
  using Event = ChannelLifecycle::Event;
  if (is_ready()) return Event::pool_ready;
  bool is_draining = false;
  bool is_connecting = false;
  for (const auto& server : servers_) {
    const Event event = server->pool().condition();
    is_connecting = is_connecting || event == Event::pool_connecting;
    is_draining = is_draining || event == Event::pool_draining;
  }
  if (is_connecting) return Event::pool_connecting;
  if (is_draining && is_stopped_) return Event::pool_draining;
  if (is_started_ && !is_stopped_) {
    if (is_failing()) return Event::pool_failing;
    const bool is_idle = is_resolved_ && !servers_.empty() && !keeps_connections();
    return is_idle ? Event::pool_empty : Event::pool_connecting;
  }
  return is_draining ? Event::pool_draining : Event::pool_empty;
}

void Fleet::hasten(base::TimePoint deadline) {
  for (const auto& server : servers_) server->pool().hasten(deadline);
}

session::AwaitedLimit Fleet::awaited_limit() const noexcept {
  for (const balance::ServerLoad* const load : ready_) {
    if (const session::AwaitedLimit limit = server_of(*load).pool().awaited_limit()) return limit;
  }
  return {};
}

std::size_t Fleet::open_calls() const noexcept {
  std::size_t count = 0;
  for (const auto& server : servers_) count += server->pool().open_calls();
  return count;
}

bool Fleet::has_work_left() const noexcept {
  return std::any_of(servers_.begin(), servers_.end(),
                     [](const auto& server) { return server->pool().has_work_left(); });
}

std::vector<ServerState> Fleet::servers() const {
  std::vector<ServerState> states;
  for (const auto& server : servers_) {
    if (!server->is_leaving()) states.push_back(server->state());
  }
  return states;
}

// --- drain and close ---

void Fleet::drain() {
  is_stopped_ = true;
  if (inbox_ != nullptr) inbox_->close();
  inbox_.reset();
  parts_.resolver.reset();
  sweep_timer_.cancel();
  choose_again_.cancel();
  for (const auto& server : servers_) server->leave();
  choose_among_ready();
}

void Fleet::close_all(const Status& reason) {
  drain();
  for (const auto& server : servers_) server->pool().close_all(reason);
}

void Fleet::end_calls() {
  // A call that ends may begin others, but no server comes to the list any more.
  for (const auto& server : servers_) server->pool().end_calls();
}

void Fleet::detach() {
  drain();
  remove_gone_.cancel();
  for (const auto& server : servers_) server->pool().detach();
}

}  // namespace trunkline::client
