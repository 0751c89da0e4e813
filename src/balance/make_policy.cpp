// SPDX-License-Identifier: MIT
// make_policy(): makes the policies.
#include "balance/make_policy.h"

#include "balance/consistent_hash.h"
#include "balance/least_outstanding.h"
#include "balance/least_time.h"
#include "balance/pick_first.h"
#include "balance/random_policy.h"
#include "balance/round_robin.h"
#include "balance/tiers.h"
#include "balance/two_choices.h"
#include "base/random_seed.h"

namespace trunkline::balance {

namespace {

std::unique_ptr<Policy> make_policy_of_tier(BalancingPolicy policy, double load_factor, std::uint64_t seed) {
  switch (policy) {
    case BalancingPolicy::round_robin:
      return std::make_unique<RoundRobin>(seed);
    case BalancingPolicy::random:
      return std::make_unique<RandomPolicy>(seed);
    case BalancingPolicy::least_outstanding:
      return std::make_unique<LeastOutstanding>(seed);
    case BalancingPolicy::least_time:
      return std::make_unique<LeastTime>(seed);
    case BalancingPolicy::consistent_hash:
      return std::make_unique<ConsistentHash>(seed, load_factor);
    case BalancingPolicy::pick_first:
      return std::make_unique<PickFirst>();
    case BalancingPolicy::two_choices:
      break;
  }
  return std::make_unique<TwoChoices>(seed);
}

}  // namespace

std::unique_ptr<Policy> make_policy(const BalancingOptions& options) {
  const std::uint64_t seed = options.seed != 0 ? options.seed : base::random_seed();
  return std::make_unique<Tiers>(
      seed, [policy = options.policy, load_factor = options.hash_load_factor](std::uint64_t tier_seed) {
        return make_policy_of_tier(policy, load_factor, tier_seed);
      });
}

}  // namespace trunkline::balance
