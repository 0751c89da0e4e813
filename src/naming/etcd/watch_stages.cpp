// SPDX-License-Identifier: MIT
// The table of a watch's stages.
#include "naming/etcd/watch_stages.h"

#include <array>
#include <cstddef>

namespace trunkline::naming::etcd {

namespace {

using A = WatchAction;
using E = WatchEvent;
using S = WatchStage;
using Table = std::array<std::array<WatchTransition, watch_events>, watch_stages>;

constexpr Table make_table() {
  Table table{};
  for (int stage = 0; stage < watch_stages; ++stage) {
    for (WatchTransition& entry : table[static_cast<std::size_t>(stage)]) entry = {A::reject, S(stage)};
  }
  const auto set = [&](S stage, E event, A action, S next) {
    table[static_cast<std::size_t>(stage)][static_cast<std::size_t>(event)] = {action, next};
  };
  set(S::resting, E::begin, A::authenticate, S::authenticating);
  set(S::authenticating, E::authenticated, A::list, S::listing);
  set(S::listing, E::known, A::open, S::opening);
  set(S::listing, E::listed, A::report_and_open, S::opening);
  set(S::opening, E::opened, A::settle, S::watching);
  set(S::watching, E::changed, A::report, S::watching);
  for (const S stage : {S::opening, S::watching}) set(stage, E::outdated, A::list_anew, S::listing);
  for (const S stage : {S::authenticating, S::listing, S::opening, S::watching}) {
    set(stage, E::failed, A::rest, S::resting);
  }
  return table;
}

constexpr Table table = make_table();

}  // namespace

WatchTransition transition(WatchStage stage, WatchEvent event) noexcept {
  return table[static_cast<std::size_t>(stage)][static_cast<std::size_t>(event)];
}

}  // namespace trunkline::naming::etcd
