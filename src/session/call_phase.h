// SPDX-License-Identifier: MIT
// CallPhase: the life of one call as a table of (role, phase, input) to (action, next phase).
#pragma once

#include "session/session_options.h"

#include <cstdint>

namespace trunkline::session {

enum class CallPhase : std::uint8_t {
  open,         ///< both sides may send
  local_ended,  ///< we have said `end`
  peer_ended,   ///< the peer has said `end`
  both_ended,   ///< only the server's finish is missing
  closed,       ///< finished or cancelled: over for us
};
inline constexpr int call_phases = 5;

/// What means something else from phase to phase. The peer's finish or cancel, a deadline and the end of the connection
/// end the call in any; credit counts as long as something is queued.
enum class CallInput : std::uint8_t {
  peer_message,      ///< a message frame without `end`
  peer_message_end,  ///< a message frame with `end`
  send,              ///< the layer above sends
  send_end,          ///< the layer above sends and ends its side
  finish,            ///< server: the layer above finishes
  cancel,            ///< client: the layer above gives up
};
inline constexpr int call_inputs = 6;

enum class CallAction : std::uint8_t {
  accept,        ///< do it
  discard,       ///< over already: ignore, give credit back
  refuse_local,  ///< tell the layer above that it may not
  fail_call,     ///< the peer broke a rule of the call: end it with internal
};

struct CallTransition {
  CallAction action;
  CallPhase next;
};

/// Every combination has an entry; docs/wire.md sections 6 and 10 are the rules behind them.
CallTransition transition(Role role, CallPhase phase, CallInput input) noexcept;

}  // namespace trunkline::session
