// SPDX-License-Identifier: MIT
// ConnectionPhase: the life of a session as a table of (phase, input) to (action, next phase).
#pragma once

#include <cstdint>

namespace trunkline::session::native {

enum class ConnectionPhase : std::uint8_t {
  /// The peer's preface has not been read.
  preface,
  /// The peer's hello has not been read.
  hello,
  /// Calls may be started.
  open,
  /// One side has sent goaway or will send it. Open calls continue.
  draining,
  /// Nothing more is sent or received.
  closed,
};
inline constexpr int connection_phases = 5;

enum class ConnectionInput : std::uint8_t {
  good_preface,
  bad_preface,
  hello_frame,
  /// A frame about calls has come: call, message, finish, cancel or credit.
  call_frame,
  /// A ping or pong has come.
  ping_frame,
  goaway_frame,
  /// The layer above wants no further calls.
  drain,
  /// The layer above ends the session.
  close,
  transport_lost,
  keepalive_timeout,
};
inline constexpr int connection_inputs = 10;

enum class ConnectionAction : std::uint8_t {
  proceed,
  /// The input has no meaning in this phase.
  ignore,
  /// The peer broke the protocol or was too slow: send goaway with the reason, then end.
  fail,
  /// End every call and the session.
  finish,
};

struct ConnectionTransition {
  ConnectionAction action;
  ConnectionPhase next;
};

/// Every combination has an entry. The rules are in docs/wire.md, sections 1, 9 and 10.
ConnectionTransition transition(ConnectionPhase phase, ConnectionInput input) noexcept;

}  // namespace trunkline::session::native
