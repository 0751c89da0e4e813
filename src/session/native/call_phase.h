// SPDX-License-Identifier: MIT
// CallPhase: the life of one call as a table of (role, phase, input) to (action, next phase).
#pragma once

#include "session/session_options.h"

#include <cstdint>

namespace trunkline::session::native {

enum class CallPhase : std::uint8_t {
  /// Both sides may send.
  open,
  /// This side has sent `end`.
  local_ended,
  /// The peer has sent `end`.
  peer_ended,
  /// Only the server's finish is missing.
  both_ended,
  /// The call is finished or cancelled: this side sends nothing more, except a finish that is queued.
  closed,
};
inline constexpr int call_phases = 5;

/// The meaning of these inputs depends on the phase. The peer's finish or cancel, a deadline and the end of the
/// connection end the call in every phase; credit counts as long as something is queued.
enum class CallInput : std::uint8_t {
  /// A message frame without `end` has come.
  peer_message,
  /// A message frame with `end` has come.
  peer_message_end,
  /// The layer above sends.
  send,
  /// The layer above sends and ends its side.
  send_end,
  /// The layer above a server finishes the call.
  finish,
  /// The layer above a client cancels the call.
  cancel,
};
inline constexpr int call_inputs = 6;

enum class CallAction : std::uint8_t {
  accept,
  /// The call is over: ignore the input and return its credit.
  discard,
  /// The layer above gets an error.
  refuse_local,
  /// The peer broke a rule of the call: end it with internal.
  fail_call,
};

struct CallTransition {
  CallAction action;
  CallPhase next;
};

/// Every combination has an entry. The rules are in docs/wire.md, sections 6 and 10.
CallTransition transition(Role role, CallPhase phase, CallInput input) noexcept;

}  // namespace trunkline::session::native
