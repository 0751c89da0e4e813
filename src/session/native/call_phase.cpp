// SPDX-License-Identifier: MIT
// Holds the table of call phases.
#include "session/native/call_phase.h"

#include <array>

namespace trunkline::session::native {

namespace {

using A = CallAction;
using P = CallPhase;
using Row = std::array<CallTransition, call_inputs>;
using Table = std::array<Row, call_phases>;

constexpr CallTransition go(P next) { return {A::accept, next}; }
constexpr CallTransition refuse(P stays) { return {A::refuse_local, stays}; }
constexpr CallTransition fail{A::fail_call, P::closed};
constexpr CallTransition drop{A::discard, P::closed};

// Columns: peer_message, peer_message_end, send, send_end, finish, cancel
constexpr Table client_table = {{
    // open
    {{go(P::open), go(P::peer_ended), go(P::open), go(P::local_ended), refuse(P::open), go(P::closed)}},
    // local_ended
    {{go(P::local_ended), go(P::both_ended), refuse(P::local_ended), refuse(P::local_ended), refuse(P::local_ended),
      go(P::closed)}},
    // peer_ended: the peer may only finish
    {{fail, fail, go(P::peer_ended), go(P::both_ended), refuse(P::peer_ended), go(P::closed)}},
    // both_ended
    {{fail, fail, refuse(P::both_ended), refuse(P::both_ended), refuse(P::both_ended), go(P::closed)}},
    // closed: what the peer sent before it knew is discarded
    {{drop, drop, refuse(P::closed), refuse(P::closed), refuse(P::closed), drop}},
}};

constexpr Table server_table = {{
    // open
    {{go(P::open), go(P::peer_ended), go(P::open), go(P::local_ended), go(P::closed), refuse(P::open)}},
    // local_ended: only the finish is to be sent
    {{go(P::local_ended), go(P::both_ended), refuse(P::local_ended), refuse(P::local_ended), go(P::closed),
      refuse(P::local_ended)}},
    // peer_ended
    {{fail, fail, go(P::peer_ended), go(P::both_ended), go(P::closed), refuse(P::peer_ended)}},
    // both_ended
    {{fail, fail, refuse(P::both_ended), refuse(P::both_ended), go(P::closed), refuse(P::both_ended)}},
    // closed: the finish has been sent or is queued
    {{drop, drop, refuse(P::closed), refuse(P::closed), drop, refuse(P::closed)}},
}};

}  // namespace

CallTransition transition(Role role, CallPhase phase, CallInput input) noexcept {
  const Table& table = role == Role::client ? client_table : server_table;
  return table[static_cast<std::size_t>(phase)][static_cast<std::size_t>(input)];
}

}  // namespace trunkline::session::native
