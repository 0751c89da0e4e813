// SPDX-License-Identifier: MIT
// FleetServer: the state of one server.
#include "client/fleet_server.h"

#include "balance/key_hash.h"
#include "base/wall_time.h"

#include <utility>

namespace trunkline::client {

namespace {

session::SessionOptions options_for(const session::SessionOptions& of_channel, const ResolvedServer& resolved) {
  session::SessionOptions options = of_channel;
  if (!options.authority.empty()) return options;
  if (!resolved.host_name.empty()) {
    options.authority = resolved.host_name;
  } else if (!resolved.endpoint.host().empty()) {
    const std::string text = resolved.endpoint.to_string();
    options.authority = text.substr(text.find("://") + 3);
  }
  return options;
}

ConnectionSetup setup_for(const ConnectionSetup& of_channel, const session::SessionOptions& options,
                          ServerMeter& meter) {
  return {.loop = of_channel.loop,
          .options = of_channel.options,
          .session_options = options,
          .calls = of_channel.calls,
          .rules = of_channel.rules,
          .meter = &meter};
}

}  // namespace

FleetServer::FleetServer(const ConnectionSetup& setup, FleetServerOwner& owner, const ResolvedServer& resolved,
                         std::unique_ptr<Connector> connector)
    : loop_(setup.loop),
      owner_(owner),
      resolved_(resolved),
      session_options_(options_for(setup.session_options, resolved)),
      meter_(setup.options.circuit_breaker, *this),
      own_zone_(setup.options.balancing.zone),
      pool_(setup_for(setup, session_options_, meter_), *this, std::move(connector)),
      watch_(setup.loop, setup.options, setup.rules, *this) {
  load().owner = this;
  update(resolved);
  load().identity = identity_of(resolved);
  load().slow_start = setup.options.balancing.slow_start;
}

std::string FleetServer::key_of(const ResolvedServer& resolved) {
  return resolved.endpoint.to_string() + '#' + resolved.host_name;
}

std::uint64_t FleetServer::identity_of(const ResolvedServer& resolved) {
  return balance::hash_of_key(key_of(resolved));
}

void FleetServer::update(const ResolvedServer& resolved) {
  resolved_.weight = load().weight = resolved.weight;
  resolved_.priority = load().priority = resolved.priority;
  resolved_.zone = resolved.zone;
  load().is_local = !resolved.zone.empty() && resolved.zone == own_zone_;
}

void FleetServer::leave() {
  is_leaving_ = true;
  meter_.judge_by(nullptr);
  watch_.follow(nullptr);
  pool_.drain();
}

bool FleetServer::is_failing() const noexcept {
  if (is_leaving_ || pool_.is_failing()) return true;
  if (!pool_.is_ready()) return false;
  if (is_ready()) return meter_.outlier().is_ejected && !gets_calls;
  return watch_.state() == HealthState::State::not_serving;
}

void FleetServer::source_changed() {
  if (!is_leaving_) watch_.follow(pool_.opened());
  owner_.server_changed(*this);
}

void FleetServer::source_has_room() {
  if (!is_leaving_) watch_.follow(pool_.opened());
  owner_.server_has_room(*this);
}

Status FleetServer::reason() const {
  // Until its health is known, it counts as one to which the channel still connects.
  const bool is_unknown = watch_.state() == HealthState::State::unknown;
  if (gets_calls || is_leaving_ || !pool_.is_ready() || is_unknown) return pool_.last_error();
  const auto because = [&](const std::string& text) {
    return Status(StatusCode::unavailable, "call " + pool_.target() + ": " + text, StatusOrigin::transport);
  };
  if (!watch_.is_serving()) return because("it says that it is not serving");
  const base::Duration rest = meter_.outlier().ejected_until - loop_.read_clock();
  return because("ejected until " + base::wall_time_after(rest));
}

ServerState FleetServer::state() const {
  const balance::ServerLoad& load = meter_.load();
  return {.endpoint = resolved_.endpoint,
          .zone = resolved_.zone,
          .weight = resolved_.weight,
          .priority = resolved_.priority,
          .is_ready = gets_calls,
          .is_ejected = meter_.outlier().is_ejected,
          .last_error = reason(),
          .open_breakers = meter_.breakers().open(),
          .open_calls = pool_.open_calls(),
          .started_calls = load.started(),
          .failed_calls = load.failed(),
          .latency = std::chrono::nanoseconds(static_cast<std::int64_t>(load.latency_at(loop_.now())))};
}

}  // namespace trunkline::client
