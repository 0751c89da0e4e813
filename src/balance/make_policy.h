// SPDX-License-Identifier: MIT
// make_policy(): makes the policy that the options name.
#pragma once

#include "balance/policy.h"

#include <trunkline/balancing.h>

#include <memory>

namespace trunkline::balance {

/// Returns the policy, with tiers of priority and zone.
std::unique_ptr<Policy> make_policy(const BalancingOptions& options);

}  // namespace trunkline::balance
