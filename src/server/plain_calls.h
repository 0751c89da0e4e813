// SPDX-License-Identifier: MIT
// PlainCalls: serves calls whose handlers run to their end on the loop, each within its event.
#pragma once

#include "server/call_context.h"
#include "server/call_exchange.h"
#include "server/handler_outcome.h"
#include "server/loop_method.h"
#include "session/event.h"

#include <memory>

namespace trunkline::server {

/// Serves calls without an allocation for each. It is used on the loop's thread, within a batch of events.
class PlainCalls {
 public:
  /// `exchange` must outlive this object.
  explicit PlainCalls(CallExchange& exchange) noexcept
      : exchange_(exchange), context_(&exchange.connection_context()) {}

  /// Calls the interceptors, decodes the request of a call event, runs the handler and ends the call. The call has been
  /// admitted; the method's execution is plain and the event, which came from `session`, has the whole request.
  void serve(session::Session& session, session::Event& event, LoopMethod& served);

 private:
  void serve_intercepted(session::Session& session, session::Event& event, LoopMethod& served);
  CallMetrics begin_metrics(const session::Event& event, LoopMethod& served);
  void begin(const session::Event& event, LoopMethod& served);
  HandlerOutcome run(const session::Event& event, const RegisteredMethod& method, CallMessages& messages);
  HandlerOutcome run_intercepted(session::Event& event, LoopMethod& served, std::unique_ptr<CallMessages>& messages);
  /// Ends a call. `messages` may be null if the handler has not run.
  void respond(session::Session& session, const session::Event& event, LoopMethod& served, const CallMessages* messages,
               const HandlerOutcome& outcome, CallMetrics& metrics);

  CallExchange& exchange_;
  /// The context of the call that is being served.
  CallContext context_;
};

}  // namespace trunkline::server
