// SPDX-License-Identifier: MIT
// RoundRobin: the order of turns.
#include "balance/round_robin.h"

#include "base/random_seed.h"

#include <algorithm>
#include <functional>

namespace trunkline::balance {

void RoundRobin::set_servers(std::span<ServerLoad* const> servers) {
  entries_.clear();
  turns_ = 0;
  for (ServerLoad* const server : servers) {
    const double unit = static_cast<double>(base::next_random(random_) >> 11) * 0x1.0p-53;
    entries_.push_back({unit / server->weight, turns_++, server});
  }
  std::make_heap(entries_.begin(), entries_.end(), std::greater<>());
}

/// Returns the server that is due first among the first `count` entries, which are a heap.
ServerLoad* RoundRobin::next_of(std::size_t count, base::TimePoint now) {
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(count);
  std::pop_heap(entries_.begin(), end, std::greater<>());
  Entry& entry = *(end - 1);
  ServerLoad* const server = entry.server;
  entry.due += 1 / server->effective_weight(now);
  entry.turn = turns_++;
  std::push_heap(entries_.begin(), end, std::greater<>());
  return server;
}

ServerLoad* RoundRobin::choose(const CallHints& hints, base::TimePoint now) {
  if (entries_.empty()) return nullptr;
  if (hints.avoided.empty()) [[likely]]
    return next_of(entries_.size(), now);
  // Avoided servers that would be next keep their turns for the next calls.
  const AvoidedServers avoided = hints.avoided.last(entries_.size() - 1);
  auto end = entries_.end();
  while (avoided.contains(entries_.front().server)) std::pop_heap(entries_.begin(), end--, std::greater<>());
  ServerLoad* const other = next_of(static_cast<std::size_t>(end - entries_.begin()), now);
  while (end != entries_.end()) std::push_heap(entries_.begin(), ++end, std::greater<>());
  return other;
}

}  // namespace trunkline::balance
