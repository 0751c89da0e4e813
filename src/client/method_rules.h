// SPDX-License-Identifier: MIT
// MethodRules: what the service config and the options of the channel ask for the calls of one method.
#pragma once

#include "balance/hedge_policy.h"

#include <trunkline/service_config.h>

#include <memory>

namespace trunkline::client {

struct MethodRules {
  /// Null for RetryPolicy if the options of the channel apply.
  const RetryOptions* retry() const noexcept { return config.retry ? &*config.retry : nullptr; }

  MethodConfig config{};
  /// Of config.hedging, with what it has measured. Null: calls are not hedged.
  std::unique_ptr<balance::HedgePolicy> hedging{};
  /// ChannelOptions::hedging is for calls that are marked idempotent. A service config declares that all are.
  bool hedges_idempotent_only = false;
};

}  // namespace trunkline::client
