// SPDX-License-Identifier: MIT
// The stages of a server's announcement under a lease of etcd, as a table of (stage, event) to (action, next stage).
#pragma once

#include <cstdint>

namespace trunkline::naming::etcd {

enum class LeaseStage : std::uint8_t {
  /// The first attempt has not begun, or the last one has failed.
  resting,
  authenticating,
  granting,
  /// The keys are written one after the other.
  putting,
  /// The lease is kept alive.
  keeping,
  /// Withdrawing has failed and is tried again.
  revoke_resting,
  revoke_authenticating,
  revoking,
  withdrawn,
};
inline constexpr int lease_stages = 9;

enum class LeaseEvent : std::uint8_t {
  begin,
  authenticated,
  /// There is a lease, which may be an older one.
  granted,
  /// The last key is written, now or earlier.
  announced,
  /// The lease has been renewed.
  renewed,
  /// etcd does not know the lease any more.
  lost,
  failed,
  withdraw,
  /// The lease is gone, or there was none.
  revoked,
  /// Withdrawing has taken too long.
  gave_up,
};
inline constexpr int lease_events = 10;

enum class LeaseAction : std::uint8_t {
  none,
  authenticate,
  /// Ask for a lease, unless there is one.
  grant,
  put,
  keep,
  /// The member works: the next failure is the first.
  settle,
  /// Forget the lease and ask for another.
  grant_anew,
  /// Try the next member.
  rest,
  /// Revoke the lease, if there is one.
  revoke,
  /// Nothing is left to do.
  finish,
  /// This must not happen; nothing changes.
  reject,
};

struct LeaseTransition {
  LeaseAction action;
  LeaseStage next;
};

/// Returns the transition of a pair. Every pair has an entry.
LeaseTransition transition(LeaseStage stage, LeaseEvent event) noexcept;

}  // namespace trunkline::naming::etcd
