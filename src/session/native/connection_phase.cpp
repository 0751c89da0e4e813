// SPDX-License-Identifier: MIT
// Holds the table of connection phases.
#include "session/native/connection_phase.h"

#include <array>
#include <cstddef>

namespace trunkline::session::native {

namespace {

using A = ConnectionAction;
using P = ConnectionPhase;

constexpr ConnectionTransition go(P next) { return {A::proceed, next}; }
constexpr ConnectionTransition fail{A::fail, P::closed};
constexpr ConnectionTransition finish{A::finish, P::closed};
constexpr ConnectionTransition ignore{A::ignore, P::closed};

// Columns: good_preface, bad_preface, hello_frame, call_frame, ping_frame, goaway_frame, drain, close, transport_lost,
// keepalive_timeout, which is ignored in phases without keepalive.
constexpr std::array<std::array<ConnectionTransition, connection_inputs>, connection_phases> table = {{
    // preface; the session remembers a drain before the peer's hello and acts on it after the hello
    {{go(P::hello), fail, fail, fail, fail, fail, go(P::preface), finish, finish, {A::ignore, P::preface}}},
    // hello
    {{fail,
      fail,
      go(P::open),
      fail,
      fail,
      {A::finish, P::closed},
      go(P::hello),
      finish,
      finish,
      {A::ignore, P::hello}}},
    // open
    {{fail, fail, fail, go(P::open), go(P::open), go(P::draining), go(P::draining), finish, finish, fail}},
    // draining
    {{fail, fail, fail, go(P::draining), go(P::draining), go(P::draining), go(P::draining), finish, finish, fail}},
    // closed
    {{ignore, ignore, ignore, ignore, ignore, ignore, ignore, ignore, ignore, ignore}},
}};

}  // namespace

ConnectionTransition transition(ConnectionPhase phase, ConnectionInput input) noexcept {
  return table[static_cast<std::size_t>(phase)][static_cast<std::size_t>(input)];
}

}  // namespace trunkline::session::native
