// SPDX-License-Identifier: MIT
// CallLifecycle: the life of a call that outlives its event, as a table of (stage, event) to (action, next stage).
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::server {

enum class CallStage : std::uint8_t {
  /// The call has begun; its request is incomplete.
  awaiting_request,
  /// The request is complete. On an ordered connection the calls before it come first.
  awaiting_order,
  /// The handler will not run. The caller gets the reason when it is the call's turn.
  refused,
  /// The handler runs, or waits for a worker. The caller waits for the response.
  running,
  /// The handler has ended or will not run. Interceptors see the status and the response is encoded, by code of the
  /// user that may run the loop.
  responding,
  /// Nobody waits for the response. The handler, which still runs, is being told.
  cancelling,
  /// Nobody waits for the response. The handler still runs.
  cancelled,
  /// The handler has ended while it was being told of the cancellation.
  ended_in_cancel,
  /// Nobody waits for the response, and no handler runs. Interceptors may still see the status.
  ended,
  /// The call is over. Its object is reset or waits in the pool.
  over,
};
inline constexpr int call_stages = 10;

enum class CallEvent : std::uint8_t {
  /// A message has arrived for a unary call.
  message,
  /// The request has been decoded, or a stream has been opened.
  ready,
  /// The call must be refused: its request does not decode, or no worker is free.
  refuse,
  /// The calls before this one have ended.
  due,
  /// The handler has ended, or an interceptor has refused the call.
  completed,
  /// The handler was destroyed before it ended.
  dropped,
  /// The caller, its deadline or the connection ended the call; the session has forgotten it.
  cancelled,
  /// The session gave up the call on an ordered connection and still needs a response in turn.
  aborted,
  /// The server has stopped and has released the connection.
  detached,
  /// All calls of the loop have had the event `detached`.
  stopped,
  /// The handler has been told of the cancellation.
  cancel_delivered,
};
inline constexpr int call_events = 11;

enum class LifecycleAction : std::uint8_t {
  none,
  /// Decode the message; `ready` or `refuse` follows.
  decode,
  /// Run the calls whose turn it is. This call may be one of them.
  advance_order,
  /// Run interceptors and handler.
  start,
  /// Send the reason instead of a response, then retire the call.
  send_refusal,
  /// Send the response, then retire the call.
  send_response,
  /// Count the call as cancelled and tell the handler; `cancel_delivered` follows.
  cancel,
  /// Send the session's status, then do what `cancel` does.
  send_status_and_cancel,
  /// Send the session's status, then do what `count_cancelled` does.
  send_status,
  /// Count the call as cancelled. If its handler runs, it is told later.
  count_cancelled,
  /// Tell the handler once more; `cancel_delivered` follows.
  cancel_again,
  /// Count the call as cancelled and retire it; its handler has not run.
  discard,
  /// The handler has ended and nobody waits for its response: retire the call.
  retire,
  /// This must not happen: log it as an error and change nothing.
  log_error,
};

struct CallTransition {
  LifecycleAction action;
  CallStage next;
};

/// Returns the transition of a pair. Every pair has an entry.
CallTransition transition(CallStage stage, CallEvent event) noexcept;

/// Returns true if the session knows the call and waits for its end.
constexpr bool is_open(CallStage stage) noexcept { return stage <= CallStage::responding; }

/// Return the enumerators' names.
std::string_view to_string(CallStage stage) noexcept;
std::string_view to_string(CallEvent event) noexcept;

}  // namespace trunkline::server
