// SPDX-License-Identifier: MIT
// The stages of following a prefix of etcd's keys, as a table of (stage, event) to (action, next stage).
#pragma once

#include <cstdint>

namespace trunkline::naming::etcd {

enum class WatchStage : std::uint8_t {
  /// The first attempt has not begun, or the last one has failed.
  resting,
  authenticating,
  /// All keys are read.
  listing,
  /// The watch has been asked for.
  opening,
  watching,
};
inline constexpr int watch_stages = 5;

enum class WatchEvent : std::uint8_t {
  begin,
  authenticated,
  /// The keys are known from before, up to a revision.
  known,
  listed,
  /// The watch has begun.
  opened,
  changed,
  /// The revision from which the watch should go on has been compacted, or lies in the member's future: the store may
  /// have been replaced by an older one.
  outdated,
  /// The call or the stream has failed, or etcd has cancelled the watch.
  failed,
};
inline constexpr int watch_events = 8;

enum class WatchAction : std::uint8_t {
  authenticate,
  /// Read the keys, or apply `known`.
  list,
  /// Report the keys, then open the watch.
  report_and_open,
  open,
  /// The member works: the next failure is the first.
  settle,
  report,
  /// Forget the revision and read the keys.
  list_anew,
  /// Try the next member.
  rest,
  /// This must not happen; nothing changes.
  reject,
};

struct WatchTransition {
  WatchAction action;
  WatchStage next;
};

/// Returns the transition of a pair. Every pair has an entry.
WatchTransition transition(WatchStage stage, WatchEvent event) noexcept;

}  // namespace trunkline::naming::etcd
