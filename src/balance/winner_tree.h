// SPDX-License-Identifier: MIT
// WinnerTree: finds the place with the least cost, among places whose costs change one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::balance {

/// A tournament: each inner node holds the better of its two children, so that a change costs the way to the root.
/// Among equal costs, the one with the lower rank wins.
class WinnerTree {
 public:
  static constexpr std::size_t none = SIZE_MAX;

  /// Makes `places` places, which are all as costly as can be until they are updated.
  void reset(std::size_t places);
  void update(std::size_t place, double cost, std::uint64_t rank) noexcept;
  std::size_t size() const noexcept { return places_; }
  /// Returns the best place; `none` if there are no places.
  std::size_t best() const noexcept { return places_ == 0 ? none : nodes_[1].place; }
  /// Returns the best of the places for which `is_excluded` is false; `none` if there are none. A path to the root is
  /// looked at for each that is excluded.
  template <class Predicate>
  std::size_t best_but(Predicate is_excluded) const noexcept {
    const Node* const found = places_ == 0 ? nullptr : best_below(1, is_excluded);
    return found != nullptr ? found->place : none;
  }
  double cost(std::size_t place) const noexcept { return nodes_[leaves_ + place].cost; }

 private:
  struct Node {
    double cost;
    std::uint64_t rank;
    std::uint32_t place;
    bool operator<(const Node& other) const noexcept {
      return cost != other.cost ? cost < other.cost : rank < other.rank;
    }
  };

  template <class Predicate>
  const Node* best_below(std::size_t at, Predicate& is_excluded) const noexcept {
    const Node& node = nodes_[at];
    if (node.place < places_ && !is_excluded(std::size_t{node.place})) return &node;
    if (at >= leaves_) return nullptr;
    const Node* const left = best_below(2 * at, is_excluded);
    const Node* const right = best_below(2 * at + 1, is_excluded);
    return left == nullptr || (right != nullptr && *right < *left) ? right : left;
  }

  std::size_t places_ = 0;
  std::size_t leaves_ = 0;
  /// The nodes of the tree. The root is 1; the children of n are 2n and 2n + 1.
  std::vector<Node> nodes_;
};

}  // namespace trunkline::balance
