// SPDX-License-Identifier: MIT
// The table of a lease's stages.
#include "naming/etcd/lease_stages.h"

#include <array>
#include <cstddef>

namespace trunkline::naming::etcd {

namespace {

using A = LeaseAction;
using E = LeaseEvent;
using S = LeaseStage;
using Table = std::array<std::array<LeaseTransition, lease_events>, lease_stages>;

constexpr Table make_table() {
  Table table{};
  for (int stage = 0; stage < lease_stages; ++stage) {
    for (LeaseTransition& entry : table[static_cast<std::size_t>(stage)]) entry = {A::reject, S(stage)};
  }
  const auto set = [&](S stage, E event, A action, S next) {
    table[static_cast<std::size_t>(stage)][static_cast<std::size_t>(event)] = {action, next};
  };
  set(S::resting, E::begin, A::authenticate, S::authenticating);
  set(S::authenticating, E::authenticated, A::grant, S::granting);
  set(S::granting, E::granted, A::put, S::putting);
  set(S::granting, E::announced, A::keep, S::keeping);
  set(S::putting, E::announced, A::keep, S::keeping);
  set(S::keeping, E::renewed, A::settle, S::keeping);
  for (const S stage : {S::putting, S::keeping}) set(stage, E::lost, A::grant_anew, S::granting);
  for (const S stage : {S::authenticating, S::granting, S::putting, S::keeping}) {
    set(stage, E::failed, A::rest, S::resting);
  }
  for (const S stage : {S::resting, S::authenticating, S::granting, S::putting, S::keeping}) {
    set(stage, E::withdraw, A::revoke, S::revoking);
  }
  set(S::revoke_resting, E::begin, A::authenticate, S::revoke_authenticating);
  set(S::revoke_authenticating, E::authenticated, A::revoke, S::revoking);
  set(S::revoking, E::revoked, A::finish, S::withdrawn);
  for (const S stage : {S::revoke_authenticating, S::revoking}) set(stage, E::failed, A::rest, S::revoke_resting);
  for (const S stage : {S::revoke_resting, S::revoke_authenticating, S::revoking}) {
    set(stage, E::gave_up, A::finish, S::withdrawn);
  }
  // The session may have planned another attempt.
  set(S::withdrawn, E::begin, A::none, S::withdrawn);
  return table;
}

constexpr Table table = make_table();

}  // namespace

LeaseTransition transition(LeaseStage stage, LeaseEvent event) noexcept {
  return table[static_cast<std::size_t>(stage)][static_cast<std::size_t>(event)];
}

}  // namespace trunkline::naming::etcd
