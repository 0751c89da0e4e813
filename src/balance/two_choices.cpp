// SPDX-License-Identifier: MIT
// TwoChoices: compares two servers.
#include "balance/two_choices.h"

#include "balance/draw.h"
#include "base/random_seed.h"

#include <algorithm>

namespace trunkline::balance {

namespace {

/// The latency that a server without a measured one is taken to have, in nanoseconds; small, so that it is tried.
constexpr double unknown_latency = 1000;

/// Returns the latency to expect. A server that was not measured gets one call at the price of unknown_latency. While
/// its calls are open, and after calls that have only failed, it counts as no faster than the other server.
double expected_latency(const ServerLoad& server, const ServerLoad& other, base::TimePoint now) noexcept {
  double latency = server.latency_at(now);
  if (server.is_unproven()) latency = std::max(latency, other.latency_at(now));
  return latency > unknown_latency ? latency : unknown_latency;
}

double cost(const ServerLoad& server, const ServerLoad& other, base::TimePoint now) noexcept {
  return (server.outstanding() + 1) * expected_latency(server, other, now) / server.effective_weight(now);
}

}  // namespace

ServerLoad& TwoChoices::server_at(std::size_t place, const AvoidedServers& avoided) const noexcept {
  if (avoided.empty()) [[likely]]
    return *servers_[place];
  while (avoided.contains(servers_[place])) place = (place + 1) % servers_.size();
  return *servers_[place];
}

TwoChoices::Candidate TwoChoices::better_of_pair(const AvoidedServers& avoided, base::TimePoint now) noexcept {
  const std::size_t count = servers_.size();
  const std::uint64_t random = base::next_random(random_);
  const std::size_t first = draw_below(random, count);
  std::size_t second = draw_below(random >> 32, count - 1);
  if (second >= first) ++second;
  ServerLoad& a = server_at(first, avoided);
  ServerLoad& b = server_at(second, avoided);
  const double cost_of_a = cost(a, b, now);
  const double cost_of_b = cost(b, a, now);
  return cost_of_b < cost_of_a ? Candidate{&b, cost_of_b} : Candidate{&a, cost_of_a};
}

ServerLoad* TwoChoices::choose(const CallHints& hints, base::TimePoint now) {
  if (servers_.size() <= 1) return servers_.empty() ? nullptr : servers_.front();
  const AvoidedServers avoided = hints.avoided.empty() ? AvoidedServers() : hints.avoided.last(servers_.size() - 1);
  Candidate best = better_of_pair(avoided, now);
  const double limit = usual_cost_ > 0 ? far_worse * usual_cost_ : best.cost;
  for (int pairs = 1; best.cost > limit && pairs < most_pairs && servers_.size() > 2; ++pairs) {
    const Candidate other = better_of_pair(avoided, now);
    if (other.cost < best.cost) best = other;
  }
  usual_cost_ += (std::min(best.cost, limit) - usual_cost_) * (usual_cost_ > 0 ? share_of_last : 1);
  return best.server;
}

}  // namespace trunkline::balance
