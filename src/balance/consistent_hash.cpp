// SPDX-License-Identifier: MIT
// ConsistentHash: the ring, and the limit of a server.
#include "balance/consistent_hash.h"

#include "balance/draw.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace trunkline::balance {

namespace {

constexpr std::size_t most_points = 4096;
/// The interval at which servers are weighed while some of them start.
constexpr base::Duration weighing_interval = std::chrono::milliseconds(100);

std::size_t points_of(const ServerLoad& server) noexcept {
  const double points = std::round(server.weight * static_cast<double>(ConsistentHash::points_of_weight_1));
  return static_cast<std::size_t>(std::clamp(points, 1.0, static_cast<double>(most_points)));
}

}  // namespace

ConsistentHash::~ConsistentHash() { set_servers({}); }

void ConsistentHash::set_servers(std::span<ServerLoad* const> servers) {
  for (ServerLoad* const server : servers_) server->observer = nullptr;
  servers_.assign(servers.begin(), servers.end());
  keyless_.set_servers(servers);
  is_built_ = false;
  weigh_again_ = base::TimePoint::min();
  open_calls_ = 0;
  for (ServerLoad* const server : servers_) {
    server->observer = this;
    open_calls_ += server->outstanding();
  }
}

void ConsistentHash::load_changed(ServerLoad& /*server*/, int open_calls) { open_calls_ += open_calls; }

void ConsistentHash::build() {
  is_built_ = true;
  points_.clear();
  for (ServerLoad* const server : servers_) {
    const std::size_t count = points_of(*server);
    for (std::size_t i = 0; i < count; ++i) {
      points_.push_back({mix(mix(server->identity) + (i + 1) * 0x9e3779b97f4a7c15u), server});
    }
  }
  std::sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
    return a.at != b.at ? a.at < b.at : a.server->identity < b.server->identity;
  });
  const int bits = std::max(1, static_cast<int>(std::bit_width(points_.size())));
  range_shift_ = 64 - bits;
  ranges_.assign(std::size_t{1} << bits, 0);
  std::size_t point = 0;
  for (std::size_t range = 0; range < ranges_.size(); ++range) {
    while (point < points_.size() && points_[point].at >> range_shift_ < range) ++point;
    ranges_[range] = static_cast<std::uint32_t>(point);
  }
}

std::size_t ConsistentHash::find(std::uint64_t key) const noexcept {
  std::size_t point = ranges_[key >> range_shift_];
  while (point < points_.size() && points_[point].at < key) ++point;
  return point < points_.size() ? point : 0;
}

/// Weighs the servers. Those that start have low limits. The limits must add up to more than the open calls all the
/// same: otherwise no server would have room, and every choice would look at all points.
void ConsistentHash::weigh(base::TimePoint now) noexcept {
  total_weight_ = 0;
  bool is_starting = false;
  for (const ServerLoad* const server : servers_) {
    const double weight = server->effective_weight(now);
    total_weight_ += weight;
    is_starting = is_starting || weight < server->weight;
  }
  weigh_again_ = is_starting ? base::deadline_after(now, weighing_interval) : base::never;
}

bool ConsistentHash::has_room(const ServerLoad& server, base::TimePoint now) const noexcept {
  const double share = static_cast<double>(open_calls_ + 1) * server.effective_weight(now) / total_weight_;
  return server.outstanding() < std::ceil(load_factor_ * share);
}

ServerLoad* ConsistentHash::choose(const CallHints& hints, base::TimePoint now) {
  if (!hints.has_key || servers_.size() <= 1) return keyless_.choose(hints, now);
  if (!is_built_) build();
  if (now >= weigh_again_) weigh(now);
  const AvoidedServers avoided = hints.avoided.last(servers_.size() - 1);
  const std::size_t first = find(hints.key);
  ServerLoad* fallback = nullptr;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t at = first + i;
    ServerLoad* const server = points_[at < points_.size() ? at : at - points_.size()].server;
    if (avoided.contains(server)) continue;
    if (has_room(*server, now)) return server;
    if (fallback == nullptr) fallback = server;
  }
  return fallback;
}

}  // namespace trunkline::balance
