// SPDX-License-Identifier: MIT
// The servers of a client.
#include "simulation/fleet/simulated_client.h"

#include "balance/make_policy.h"

#include <trunkline/channel_options.h>

#include <algorithm>

namespace trunkline::simulation {

namespace {

ChannelOptions options_for(const FleetPlan& plan, std::uint64_t seed) {
  ChannelOptions options;
  options.balancing.policy = plan.policy;
  options.balancing.seed = seed;
  options.backoff.seed = seed;
  if (plan.retries == RetryMode::none) options.max_retries = 0;
  return options;
}

}  // namespace

SimulatedClient::SimulatedClient(const FleetPlan& plan, std::uint32_t zone, std::uint64_t seed, base::TimePoint now)
    : zone_(zone),
      seed_(seed),
      prefers_zone_(plan.prefers_zone),
      policy_(balance::make_policy(options_for(plan, seed).balancing)),
      retries_(options_for(plan, seed)),
      backoff_(options_for(plan, seed).backoff) {
  if (plan.has_outlier_detection) {
    detector_ = std::make_unique<balance::OutlierDetector>(OutlierOptions{}, now);
  }
  if (plan.has_hedging) hedging_ = std::make_unique<balance::HedgePolicy>(HedgingOptions{});
}

std::vector<std::size_t> SimulatedClient::list(std::span<const Listed> servers) {
  if (slots_.empty()) {
    loads_.resize(servers.size());
    servers_.resize(servers.size());
    slots_.resize(servers.size());
    if (detector_ != nullptr) {
      for (Slot& slot : slots_) detector_->add(slot.record);
    }
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      fill(i, servers[i]);
      all.push_back(i);
    }
    return all;
  }
  std::vector<std::size_t> filled;
  for (const Listed& listed : servers) {
    if (std::find(servers_.begin(), servers_.end(), listed.server) != servers_.end()) continue;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const bool is_listed =
          std::any_of(servers.begin(), servers.end(), [&](const Listed& other) { return other.server == servers_[i]; });
      if (is_listed || loads_[i].outstanding() != 0) continue;
      fill(i, listed);
      filled.push_back(i);
      break;
    }
  }
  update_policy();
  return filled;
}

void SimulatedClient::fill(std::size_t slot, const Listed& server) {
  servers_[slot] = server.server;
  slots_[slot].failures = 0;
  slots_[slot].is_ready = false;
  balance::ServerLoad load;
  load.identity = server.server + 1;
  load.weight = server.weight;
  load.is_local = prefers_zone_ && server.zone == zone_;
  load.slow_start = slow_start;
  load.owner = &slots_[slot];
  loads_[slot] = load;
}

void SimulatedClient::lose(std::size_t slot, base::TimePoint now) {
  slots_[slot].is_ready = false;
  if (detector_ != nullptr) detector_->on_failed(slots_[slot].record, now);
  update_policy();
}

void SimulatedClient::set_ready(std::size_t slot, bool is_ready, base::TimePoint now) {
  slots_[slot].is_ready = is_ready;
  if (is_ready) {
    slots_[slot].failures = 0;
    loads_[slot].begin(now);
  }
  update_policy();
}

void SimulatedClient::update_policy() {
  std::vector<balance::ServerLoad*> listed;
  ready_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    listed.push_back(&loads_[i]);
    slots_[i].record.is_available = slots_[i].is_ready;
  }
  const bool is_panicking = detector_ != nullptr && detector_->is_panicking();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].is_ready && (!slots_[i].record.is_ejected || is_panicking)) ready_.push_back(&loads_[i]);
  }
  policy_->set_listed(listed);
  policy_->set_servers(ready_);
}

std::optional<std::size_t> SimulatedClient::start(std::uint64_t key, const balance::ServerLoad* avoided,
                                                  base::TimePoint now) {
  balance::ServerLoad* const chosen = policy_->choose({.key = key, .has_key = true, .avoided = avoided}, now);
  if (chosen == nullptr) return std::nullopt;
  chosen->on_started();
  return static_cast<std::size_t>(chosen - loads_.data());
}

void SimulatedClient::end(std::size_t slot, balance::Outcome outcome, base::Duration latency, base::TimePoint now) {
  loads_[slot].on_ended(outcome, latency, now);
  if (detector_ != nullptr && detector_->on_ended(slots_[slot].record, outcome, latency, now)) update_policy();
}

void SimulatedClient::sweep(base::TimePoint now) {
  if (detector_->sweep(now)) update_policy();
}

}  // namespace trunkline::simulation
