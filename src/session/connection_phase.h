// SPDX-License-Identifier: MIT
// ConnectionPhase: the life of a session as a table of (phase, input) to (action, next phase).
#pragma once

#include <cstdint>

namespace trunkline::session {

enum class ConnectionPhase : std::uint8_t {
  preface,   ///< the peer's preface has not come
  hello,     ///< its hello has not come
  open,      ///< calls may be made
  draining,  ///< one side has said goaway; calls that are open go on
  closed,    ///< nothing more is said or heard
};
inline constexpr int connection_phases = 5;

enum class ConnectionInput : std::uint8_t {
  good_preface,
  bad_preface,
  hello_frame,
  call_frame,  ///< any frame about calls: call, message, finish, cancel, credit
  ping_frame,  ///< ping or pong
  goaway_frame,
  drain,  ///< the layer above
  close,  ///< the layer above
  transport_lost,
  handshake_timeout,
  keepalive_timeout,
};
inline constexpr int connection_inputs = 11;

enum class ConnectionAction : std::uint8_t {
  proceed,  ///< do it
  ignore,   ///< nothing to do any more
  fail,     ///< the peer broke the protocol, or was too slow: goaway with the reason, then closed
  finish,   ///< end every call, closed
};

struct ConnectionTransition {
  ConnectionAction action;
  ConnectionPhase next;
};

ConnectionTransition transition(ConnectionPhase phase, ConnectionInput input) noexcept;

}  // namespace trunkline::session
