// SPDX-License-Identifier: MIT
// The call table itself.
#include "session/call_phase.h"

#include <array>

namespace trunkline::session {

namespace {

using A = CallAction;
using P = CallPhase;
using Row = std::array<CallTransition, call_inputs>;
using Table = std::array<Row, call_phases>;

constexpr CallTransition go(P next) { return {A::accept, next}; }

// Columns: peer_message, peer_message_end, peer_finish, peer_cancel, peer_credit, send, send_end, finish, cancel,
// deadline, lost
constexpr Table client_table = {{
    // open
    {{go(P::open),
      go(P::peer_ended),
      go(P::closed),
      {A::fail_session, P::closed},
      go(P::open),
      go(P::open),
      go(P::local_ended),
      {A::refuse_local, P::open},
      go(P::closed),
      go(P::closed),
      go(P::closed)}},
    // local_ended
    {{go(P::local_ended),
      go(P::both_ended),
      go(P::closed),
      {A::fail_session, P::closed},
      go(P::local_ended),
      {A::refuse_local, P::local_ended},
      {A::refuse_local, P::local_ended},
      {A::refuse_local, P::local_ended},
      go(P::closed),
      go(P::closed),
      go(P::closed)}},
    // peer_ended: only finish may still come
    {{{A::fail_call, P::closed},
      {A::fail_call, P::closed},
      go(P::closed),
      {A::fail_session, P::closed},
      go(P::peer_ended),
      go(P::peer_ended),
      go(P::both_ended),
      {A::refuse_local, P::peer_ended},
      go(P::closed),
      go(P::closed),
      go(P::closed)}},
    // both_ended
    {{{A::fail_call, P::closed},
      {A::fail_call, P::closed},
      go(P::closed),
      {A::fail_session, P::closed},
      go(P::both_ended),
      {A::refuse_local, P::both_ended},
      {A::refuse_local, P::both_ended},
      {A::refuse_local, P::both_ended},
      go(P::closed),
      go(P::closed),
      go(P::closed)}},
    // closed: what the peer sent before it knew is dropped
    {{{A::discard, P::closed},
      {A::discard, P::closed},
      {A::discard, P::closed},
      {A::fail_session, P::closed},
      {A::discard, P::closed},
      {A::refuse_local, P::closed},
      {A::refuse_local, P::closed},
      {A::refuse_local, P::closed},
      {A::discard, P::closed},
      {A::discard, P::closed},
      {A::discard, P::closed}}},
}};

constexpr Table server_table = {{
    // open
    {{go(P::open),
      go(P::peer_ended),
      {A::fail_session, P::closed},
      go(P::closed),
      go(P::open),
      go(P::open),
      go(P::local_ended),
      go(P::closed),
      {A::refuse_local, P::open},
      go(P::closed),
      go(P::closed)}},
    // local_ended: we only owe the finish
    {{go(P::local_ended),
      go(P::both_ended),
      {A::fail_session, P::closed},
      go(P::closed),
      go(P::local_ended),
      {A::refuse_local, P::local_ended},
      {A::refuse_local, P::local_ended},
      go(P::closed),
      {A::refuse_local, P::local_ended},
      go(P::closed),
      go(P::closed)}},
    // peer_ended
    {{{A::fail_call, P::closed},
      {A::fail_call, P::closed},
      {A::fail_session, P::closed},
      go(P::closed),
      go(P::peer_ended),
      go(P::peer_ended),
      go(P::both_ended),
      go(P::closed),
      {A::refuse_local, P::peer_ended},
      go(P::closed),
      go(P::closed)}},
    // both_ended
    {{{A::fail_call, P::closed},
      {A::fail_call, P::closed},
      {A::fail_session, P::closed},
      go(P::closed),
      go(P::both_ended),
      {A::refuse_local, P::both_ended},
      {A::refuse_local, P::both_ended},
      go(P::closed),
      {A::refuse_local, P::both_ended},
      go(P::closed),
      go(P::closed)}},
    // closed
    {{{A::discard, P::closed},
      {A::discard, P::closed},
      {A::fail_session, P::closed},
      {A::discard, P::closed},
      {A::discard, P::closed},
      {A::refuse_local, P::closed},
      {A::refuse_local, P::closed},
      {A::discard, P::closed},
      {A::refuse_local, P::closed},
      {A::discard, P::closed},
      {A::discard, P::closed}}},
}};

}  // namespace

CallTransition transition(Role role, CallPhase phase, CallInput input) noexcept {
  const Table& table = role == Role::client ? client_table : server_table;
  return table[static_cast<std::size_t>(phase)][static_cast<std::size_t>(input)];
}

}  // namespace trunkline::session
