// SPDX-License-Identifier: MIT
// choose_subset(): ranks the servers by a hash and takes the first ones.
#include "balance/subset.h"

#include "balance/draw.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trunkline::balance {

std::vector<ServerLoad*> choose_subset(std::span<ServerLoad* const> servers, std::size_t most, std::uint64_t client) {
  std::vector<ServerLoad*> chosen(servers.begin(), servers.end());
  if (most == 0 || servers.size() <= most) return chosen;
  std::vector<std::pair<double, std::size_t>> scores;
  scores.reserve(servers.size());
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const double unit = draw_unit(mix(mix(client) ^ mix(servers[i]->identity + 0x9e3779b97f4a7c15u)));
    scores.emplace_back(-std::log1p(-unit) / servers[i]->weight, i);
  }
  const auto end = scores.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(scores.begin(), end, scores.end());
  std::sort(scores.begin(), end, [](const auto& a, const auto& b) { return a.second < b.second; });
  chosen.clear();
  for (auto score = scores.begin(); score != end; ++score) chosen.push_back(servers[score->second]);
  return chosen;
}

}  // namespace trunkline::balance
