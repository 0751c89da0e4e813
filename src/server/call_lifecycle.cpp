// SPDX-License-Identifier: MIT
// CallLifecycle: the table of a call's life.
#include "server/call_lifecycle.h"

#include <array>
#include <cstddef>

namespace trunkline::server {

namespace {

using A = LifecycleAction;
using S = CallStage;
using Row = std::array<CallTransition, call_events>;

constexpr CallTransition ignore(S stage) { return {A::none, stage}; }
constexpr CallTransition error(S stage) { return {A::log_error, stage}; }

// Columns: message, ready, refuse, due, completed, dropped, cancelled, aborted, detached, stopped, cancel_delivered.
constexpr std::array<Row, call_stages> table = {{
    // awaiting_request
    {{{A::decode, S::awaiting_request},
      {A::advance_order, S::awaiting_order},
      {A::advance_order, S::refused},
      ignore(S::awaiting_request),
      error(S::awaiting_request),
      error(S::awaiting_request),
      {A::discard, S::ended},
      {A::advance_order, S::refused},
      {A::discard, S::ended},
      {A::discard, S::ended},
      error(S::awaiting_request)}},
    // awaiting_order: a unary call has one request, and what follows is ignored
    {{ignore(S::awaiting_order),
      error(S::awaiting_order),
      {A::advance_order, S::refused},
      {A::start, S::running},
      error(S::awaiting_order),
      error(S::awaiting_order),
      {A::discard, S::ended},
      {A::advance_order, S::refused},
      {A::discard, S::ended},
      {A::discard, S::ended},
      error(S::awaiting_order)}},
    // refused: an aborted call is refused with the session's status
    {{ignore(S::refused),
      error(S::refused),
      error(S::refused),
      {A::send_refusal, S::responding},
      error(S::refused),
      error(S::refused),
      {A::discard, S::ended},
      {A::advance_order, S::refused},
      {A::discard, S::ended},
      {A::discard, S::ended},
      error(S::refused)}},
    // running: a call that runs keeps its turn, and is not run again
    {{ignore(S::running),
      error(S::running),
      {A::send_refusal, S::responding},
      ignore(S::running),
      {A::send_response, S::responding},
      {A::send_response, S::responding},
      {A::cancel, S::cancelling},
      {A::send_status_and_cancel, S::cancelling},
      {A::count_cancelled, S::cancelled},
      {A::cancel, S::cancelling},
      error(S::running)}},
    // responding: code of the user that lets the loop run may cause the call's cancellation
    {{ignore(S::responding),
      error(S::responding),
      error(S::responding),
      ignore(S::responding),
      error(S::responding),
      error(S::responding),
      {A::count_cancelled, S::ended},
      {A::send_status, S::ended},
      {A::count_cancelled, S::ended},
      {A::count_cancelled, S::ended},
      error(S::responding)}},
    // cancelling: the call may also have been waiting for a worker that it does not get
    {{error(S::cancelling),
      error(S::cancelling),
      {A::none, S::ended_in_cancel},
      ignore(S::cancelling),
      {A::none, S::ended_in_cancel},
      {A::none, S::ended_in_cancel},
      error(S::cancelling),
      error(S::cancelling),
      ignore(S::cancelling),
      ignore(S::cancelling),
      {A::none, S::cancelled}}},
    // cancelled: a handler that has gone on in spite of its cancellation is told again when the server stops
    {{error(S::cancelled),
      error(S::cancelled),
      {A::retire, S::ended},
      ignore(S::cancelled),
      {A::retire, S::ended},
      {A::retire, S::ended},
      error(S::cancelled),
      error(S::cancelled),
      ignore(S::cancelled),
      {A::cancel_again, S::cancelling},
      error(S::cancelled)}},
    // ended_in_cancel
    {{error(S::ended_in_cancel),
      error(S::ended_in_cancel),
      error(S::ended_in_cancel),
      ignore(S::ended_in_cancel),
      error(S::ended_in_cancel),
      error(S::ended_in_cancel),
      error(S::ended_in_cancel),
      error(S::ended_in_cancel),
      ignore(S::ended_in_cancel),
      ignore(S::ended_in_cancel),
      {A::retire, S::ended}}},
    // ended
    {{error(S::ended), error(S::ended), error(S::ended), ignore(S::ended), error(S::ended), error(S::ended),
      error(S::ended), error(S::ended), ignore(S::ended), ignore(S::ended), error(S::ended)}},
    // over
    {{error(S::over), error(S::over), error(S::over), error(S::over), error(S::over), error(S::over), error(S::over),
      error(S::over), error(S::over), error(S::over), error(S::over)}},
}};

constexpr std::array<std::string_view, call_stages> stage_names = {
    "awaiting_request", "awaiting_order", "refused",         "running", "responding",
    "cancelling",       "cancelled",      "ended_in_cancel", "ended",   "over"};
constexpr std::array<std::string_view, call_events> event_names = {"message",   "ready",   "refuse",          "due",
                                                                   "completed", "dropped", "cancelled",       "aborted",
                                                                   "detached",  "stopped", "cancel_delivered"};

}  // namespace

CallTransition transition(CallStage stage, CallEvent event) noexcept {
  return table[static_cast<std::size_t>(stage)][static_cast<std::size_t>(event)];
}

std::string_view to_string(CallStage stage) noexcept { return stage_names[static_cast<std::size_t>(stage)]; }

std::string_view to_string(CallEvent event) noexcept { return event_names[static_cast<std::size_t>(event)]; }

}  // namespace trunkline::server
