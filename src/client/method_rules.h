// SPDX-License-Identifier: MIT
// MethodRules: the demands of the service config and the channel's options on the calls of one method.
#pragma once

#include "balance/hedge_policy.h"

#include <trunkline/service_config.h>

#include <memory>

namespace trunkline::client {

struct MethodRules {
  /// Returns the retry options of the config. Null tells RetryPolicy that the options of the channel apply.
  const RetryOptions* retry() const noexcept { return config.retry ? &*config.retry : nullptr; }

  MethodConfig config{};
  /// The policy of config.hedging, with what it has measured. Null: calls are not hedged.
  std::unique_ptr<balance::HedgePolicy> hedging{};
  /// True for ChannelOptions::hedging, which is for calls marked idempotent. In a service config all calls count so.
  bool hedges_idempotent_only = false;
};

}  // namespace trunkline::client
