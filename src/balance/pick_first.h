// SPDX-License-Identifier: MIT
// PickFirst: has one server take all calls.
#pragma once

#include "balance/policy.h"

#include <vector>

namespace trunkline::balance {

/// Takes the first server of the list that is ready, and keeps it for as long as it is ready.
class PickFirst final : public Policy {
 public:
  void set_servers(std::span<ServerLoad* const> servers) override;
  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;

 private:
  /// The servers, of which the one in use is in front.
  std::vector<ServerLoad*> servers_;
};

}  // namespace trunkline::balance
