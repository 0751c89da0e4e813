// SPDX-License-Identifier: MIT
// The table of a watch: every pair of stage and event.
#include "naming/etcd/watch_stages.h"

#include <gtest/gtest.h>

namespace trunkline::naming::etcd {
namespace {

using A = WatchAction;
using E = WatchEvent;
using S = WatchStage;

/// The rules of the table, in another form than the table's.
WatchTransition expected(S stage, E event) {
  const WatchTransition refused{A::reject, stage};
  const bool has_watch = stage == S::opening || stage == S::watching;
  switch (event) {
    case E::begin:
      return stage == S::resting ? WatchTransition{A::authenticate, S::authenticating} : refused;
    case E::authenticated:
      return stage == S::authenticating ? WatchTransition{A::list, S::listing} : refused;
    case E::known:
      return stage == S::listing ? WatchTransition{A::open, S::opening} : refused;
    case E::listed:
      return stage == S::listing ? WatchTransition{A::report_and_open, S::opening} : refused;
    case E::opened:
      return stage == S::opening ? WatchTransition{A::settle, S::watching} : refused;
    case E::changed:
      return stage == S::watching ? WatchTransition{A::report, S::watching} : refused;
    case E::outdated:
      return has_watch ? WatchTransition{A::list_anew, S::listing} : refused;
    case E::failed:
      return stage == S::resting ? refused : WatchTransition{A::rest, S::resting};
  }
  return refused;
}

TEST(WatchStages, HaveAnEntryForEveryPairOfStageAndEvent) {
  for (int s = 0; s < watch_stages; ++s) {
    for (int e = 0; e < watch_events; ++e) {
      const auto stage = static_cast<S>(s);
      const auto event = static_cast<E>(e);

      const WatchTransition entry = transition(stage, event);

      EXPECT_EQ(entry.action, expected(stage, event).action) << "stage " << s << ", event " << e;
      EXPECT_EQ(entry.next, expected(stage, event).next) << "stage " << s << ", event " << e;
    }
  }
}

}  // namespace
}  // namespace trunkline::naming::etcd
