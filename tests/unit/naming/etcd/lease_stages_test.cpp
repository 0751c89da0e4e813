// SPDX-License-Identifier: MIT
// The table of a lease: every pair of stage and event.
#include "naming/etcd/lease_stages.h"

#include <gtest/gtest.h>

namespace trunkline::naming::etcd {
namespace {

using A = LeaseAction;
using E = LeaseEvent;
using S = LeaseStage;

/// The rules of the table, in another form than the table's.
LeaseTransition expected(S stage, E event) {
  const LeaseTransition refused{A::reject, stage};
  const bool is_announcing = stage <= S::keeping;
  const bool is_revoking = !is_announcing && stage != S::withdrawn;
  switch (event) {
    case E::begin:
      if (stage == S::resting) return {A::authenticate, S::authenticating};
      if (stage == S::revoke_resting) return {A::authenticate, S::revoke_authenticating};
      return stage == S::withdrawn ? LeaseTransition{A::none, stage} : refused;
    case E::authenticated:
      if (stage == S::authenticating) return {A::grant, S::granting};
      return stage == S::revoke_authenticating ? LeaseTransition{A::revoke, S::revoking} : refused;
    case E::granted:
      return stage == S::granting ? LeaseTransition{A::put, S::putting} : refused;
    case E::announced:
      return stage == S::granting || stage == S::putting ? LeaseTransition{A::keep, S::keeping} : refused;
    case E::renewed:
      return stage == S::keeping ? LeaseTransition{A::settle, S::keeping} : refused;
    case E::lost:
      return stage == S::putting || stage == S::keeping ? LeaseTransition{A::grant_anew, S::granting} : refused;
    case E::failed:
      if (stage == S::resting || stage == S::revoke_resting || stage == S::withdrawn) return refused;
      return {A::rest, is_announcing ? S::resting : S::revoke_resting};
    case E::withdraw:
      return is_announcing ? LeaseTransition{A::revoke, S::revoking} : refused;
    case E::revoked:
      return stage == S::revoking ? LeaseTransition{A::finish, S::withdrawn} : refused;
    case E::gave_up:
      return is_revoking ? LeaseTransition{A::finish, S::withdrawn} : refused;
  }
  return refused;
}

TEST(LeaseStages, HaveAnEntryForEveryPairOfStageAndEvent) {
  for (int s = 0; s < lease_stages; ++s) {
    for (int e = 0; e < lease_events; ++e) {
      const auto stage = static_cast<S>(s);
      const auto event = static_cast<E>(e);

      const LeaseTransition entry = transition(stage, event);

      EXPECT_EQ(entry.action, expected(stage, event).action) << "stage " << s << ", event " << e;
      EXPECT_EQ(entry.next, expected(stage, event).next) << "stage " << s << ", event " << e;
    }
  }
}

}  // namespace
}  // namespace trunkline::naming::etcd
