// SPDX-License-Identifier: MIT
// PickFirst: one server takes all calls.
#pragma once

#include "balance/policy.h"

#include <vector>

namespace trunkline::balance {

/// The first server of the list that is ready, and that one for as long as it is ready.
class PickFirst final : public Policy {
 public:
  void set_servers(std::span<ServerLoad* const> servers) override;
  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;

 private:
  /// The one in use is in front.
  std::vector<ServerLoad*> servers_;
};

}  // namespace trunkline::balance
