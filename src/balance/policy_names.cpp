// SPDX-License-Identifier: MIT
// balancing_policy() and to_string(): convert between policies and their names.
#include <trunkline/balancing.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline {

namespace {

constexpr std::array<std::pair<std::string_view, BalancingPolicy>, 7> names{{
    {"two_choices", BalancingPolicy::two_choices},
    {"round_robin", BalancingPolicy::round_robin},
    {"random", BalancingPolicy::random},
    {"least_outstanding", BalancingPolicy::least_outstanding},
    {"least_time", BalancingPolicy::least_time},
    {"consistent_hash", BalancingPolicy::consistent_hash},
    {"pick_first", BalancingPolicy::pick_first},
}};

}  // namespace

std::optional<BalancingPolicy> balancing_policy(std::string_view name) noexcept {
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& known) { return known.first == name; });
  if (found == names.end()) return std::nullopt;
  return found->second;
}

std::string_view to_string(BalancingPolicy policy) noexcept {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& known) { return known.second == policy; });
  return found == names.end() ? "unknown" : found->first;
}

std::string balancing_policies() {
  std::string list;
  for (const auto& [name, policy] : names) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

}  // namespace trunkline
