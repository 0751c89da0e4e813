// SPDX-License-Identifier: MIT
// PlainCalls: serves calls whose handlers run to their end on the loop, each within its event.
#pragma once

#include "server/call_context.h"
#include "server/call_exchange.h"
#include "server/handler_outcome.h"
#include "server/loop_method.h"
#include "session/event.h"

namespace trunkline::server {

/// Allocates nothing per call. Loop's thread, within a batch of events.
class PlainCalls {
 public:
  /// `exchange` must outlive this.
  explicit PlainCalls(CallExchange& exchange) noexcept : exchange_(exchange), context_(&exchange.facts()) {}

  /// Decodes the request of a call event, runs the handler and ends the call. The call has been admitted; the method's
  /// execution is plain and the event has the whole request.
  void serve(session::Event& event, LoopMethod& served);

 private:
  void run_and_respond(session::Event& event, LoopMethod& served, CallMessages& messages, CallMetrics& metrics);
  HandlerOutcome run(const session::Event& event, const Method& method, CallMessages& messages);
  HandlerOutcome run_intercepted(session::Event& event, const Method& method, CallMessages& messages);

  CallExchange& exchange_;
  /// Of the call that is being served.
  CallContext context_;
};

}  // namespace trunkline::server
