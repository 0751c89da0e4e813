// SPDX-License-Identifier: MIT
// RandomPolicy: makes the alias table, and draws from it.
#include "balance/random_policy.h"

#include "balance/draw.h"
#include "base/random_seed.h"

namespace trunkline::balance {

namespace {

/// The number of times that a server is drawn again because it is avoided or starts. The last draw counts.
constexpr int most_draws = 16;

}  // namespace

void RandomPolicy::set_servers(std::span<ServerLoad* const> servers) {
  columns_.clear();
  double total = 0;
  for (ServerLoad* const server : servers) total += server->weight;
  std::vector<std::size_t> small, large;
  for (ServerLoad* const server : servers) {
    const double share = server->weight * static_cast<double>(servers.size()) / total;
    (share < 1 ? small : large).push_back(columns_.size());
    columns_.push_back({share, server, server});
  }
  while (!small.empty() && !large.empty()) {
    Column& filled = columns_[small.back()];
    Column& giver = columns_[large.back()];
    small.pop_back();
    filled.alias = giver.server;
    giver.share -= 1 - filled.share;
    if (giver.share < 1) {
      small.push_back(large.back());
      large.pop_back();
    }
  }
}

ServerLoad* RandomPolicy::draw() noexcept {
  const std::uint64_t random = base::next_random(random_);
  const Column& column = columns_[draw_below(random, columns_.size())];
  const double unit = static_cast<double>(random >> 32) * 0x1.0p-32;
  return unit < column.share ? column.server : column.alias;
}

ServerLoad* RandomPolicy::choose(const CallHints& hints, base::TimePoint now) {
  if (columns_.empty()) return nullptr;
  const AvoidedServers avoided = hints.avoided.empty() ? AvoidedServers() : hints.avoided.last(columns_.size() - 1);
  ServerLoad* server = draw();
  for (int draws = 1; draws < most_draws && columns_.size() > 1; ++draws) {
    const double weight = server->effective_weight(now);
    const bool is_starting = weight < server->weight;
    const bool is_taken = !is_starting || draw_unit(base::next_random(random_)) * server->weight < weight;
    if (!avoided.contains(server) && is_taken) break;
    server = draw();
  }
  if (!avoided.contains(server)) return server;
  // Nearly all the weight belongs to avoided servers.
  std::size_t at = draw_below(base::next_random(random_), columns_.size());
  while (avoided.contains(columns_[at].server)) at = (at + 1) % columns_.size();
  return columns_[at].server;
}

}  // namespace trunkline::balance
