// SPDX-License-Identifier: MIT
// WinnerTree: the tournament.
#include "balance/winner_tree.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace trunkline::balance {

void WinnerTree::reset(std::size_t places) {
  places_ = places;
  leaves_ = std::bit_ceil(std::max<std::size_t>(places, 2));
  const double costliest = std::numeric_limits<double>::infinity();
  nodes_.assign(2 * leaves_, {costliest, UINT64_MAX, 0});
  for (std::size_t i = 0; i < leaves_; ++i) nodes_[leaves_ + i].place = static_cast<std::uint32_t>(i);
  for (std::size_t i = leaves_ - 1; i > 0; --i) nodes_[i] = nodes_[2 * i];
}

void WinnerTree::update(std::size_t place, double cost, std::uint64_t rank) noexcept {
  std::size_t at = leaves_ + place;
  nodes_[at].cost = cost;
  nodes_[at].rank = rank;
  for (at /= 2; at > 0; at /= 2) nodes_[at] = std::min(nodes_[2 * at], nodes_[2 * at + 1]);
}

}  // namespace trunkline::balance
