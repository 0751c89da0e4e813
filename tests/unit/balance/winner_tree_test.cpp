// SPDX-License-Identifier: MIT
// The tournament against a plain search.
#include "balance/winner_tree.h"

#include "base/random_seed.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace trunkline::balance {
namespace {

TEST(WinnerTree, AgreesWithASearch) {
  std::uint64_t random = 3;
  for (std::size_t places = 1; places <= 20; ++places) {
    WinnerTree tree;
    tree.reset(places);
    std::vector<double> costs(places, std::numeric_limits<double>::infinity());
    for (int i = 0; i < 200; ++i) {
      const std::size_t place = base::next_random(random) % places;
      costs[place] = static_cast<double>(base::next_random(random) % 50);
      tree.update(place, costs[place], static_cast<std::uint32_t>(i));

      const double best = *std::min_element(costs.begin(), costs.end());
      ASSERT_EQ(costs[tree.best()], best);
      const std::size_t excluded = base::next_random(random) % places;
      const std::size_t other = tree.best_but([=](std::size_t p) { return p == excluded; });
      if (places == 1) {
        ASSERT_EQ(other, WinnerTree::none);
        continue;
      }
      auto rest = costs;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(excluded));
      ASSERT_NE(other, excluded);
      ASSERT_LT(other, places);
      ASSERT_EQ(costs[other], *std::min_element(rest.begin(), rest.end()));
    }
  }
}

TEST(WinnerTree, HasNoBestWithoutPlaces) {
  WinnerTree tree;

  EXPECT_EQ(tree.best(), WinnerTree::none);
  tree.reset(0);
  EXPECT_EQ(tree.best(), WinnerTree::none);
}

}  // namespace
}  // namespace trunkline::balance
