// SPDX-License-Identifier: MIT
// CallExchange: decodes the requests of one connection and hands its responses to the session.
#pragma once

#include "server/call_context.h"
#include "server/call_metrics.h"
#include "server/connection_context.h"
#include "server/early_interceptions.h"
#include "server/handler_outcome.h"
#include "server/loop_context.h"
#include "server/loop_method.h"
#include "session/event.h"
#include "session/session.h"

#include <memory>

namespace trunkline::server {

/// Counts every end of a call in the totals of the loop and in the metrics of the call, and logs what goes wrong. Only
/// the loop's thread uses it.
class CallExchange {
 public:
  /// The arguments must outlive this object.
  CallExchange(LoopContext& context, const ConnectionContext& connection_context, ConnectionLink& link) noexcept
      : context_(context), connection_context_(connection_context), link_(link) {}
  CallExchange(const CallExchange&) = delete;
  CallExchange& operator=(const CallExchange&) = delete;

  LoopContext& context() const noexcept { return context_; }
  ServerState& server_state() const noexcept { return context_.server_state(); }
  LoopTotals& totals() const noexcept { return context_.totals(); }
  const ConnectionContext& connection_context() const noexcept { return connection_context_; }
  ConnectionLink& link() const noexcept { return link_; }
  /// Returns the interceptions of calls whose requests are not whole yet.
  EarlyInterceptions& early() noexcept { return early_; }
  /// Reads the clock, whose time is later than that of the loop's turn.
  base::TimePoint read_clock() const noexcept { return context_.loop().read_clock(); }

  /// Decompresses the request of a call or message event, takes messages of `served` and decodes it. Errors: those of
  /// Session::decompress() and LoopMethod::decode(); internal if a codec or a constructor of the user's throws.
  Status read_request(session::Event& event, LoopMethod& served, std::unique_ptr<CallMessages>& messages);
  /// Ends a call that no handler has seen. Does not count it.
  void send_refusal(session::CallId id, const Status& status);
  /// Ends a call that no handler has seen, and counts it as refused.
  void refuse(session::CallId id, const Status& status) {
    totals().calls_refused.add();
    send_refusal(id, status);
  }
  /// Ends a call in `session`, the connection's: it sends the metadata of the context, the response if `status` is ok,
  /// and the status. Returns what the session made of the status: a response that cannot be sent changes it. Code of
  /// the user that encodes the response may run the loop. It does not count the end: see count_response().
  Status send_response(session::Session& session, session::CallId id, const Status& status,
                       session::OutgoingMessage&& response, const CallContext& context, CallMetrics& metrics,
                       bool has_run) {
    response.compressor = context.compressor();
    if (context.leading() == nullptr && !metrics.is_collected()) [[likely]]
      return session.finish(id, status, response, context.trailing(), !has_run);
    return send_with_details(session, id, status, response, context, metrics, has_run);
  }
  /// Counts the end of a call with `status`, which the session turned into `sent`.
  void count_response(const Status& status, const Status& sent, std::string_view method, CallMetrics& metrics) {
    if (status.is_ok() && sent.is_ok() && !metrics.is_collected()) [[likely]]
      return totals().calls_ok.add();
    count_and_log(status, sent, method, metrics);
  }
  /// Logs and counts the exception in whose handler it is called. Returns the status for the caller.
  Status current_exception_status(const RegisteredMethod& method);

 private:
  Status send_with_details(session::Session& session, session::CallId id, const Status& status,
                           const session::OutgoingMessage& response, const CallContext& context, CallMetrics& metrics,
                           bool has_run);
  void count_and_log(const Status& status, const Status& sent, std::string_view method, CallMetrics& metrics);
  Status finish_with_leading(session::Session& session, session::CallId id, const Status& status,
                             const session::OutgoingMessage& response, const CallContext& context, bool has_run);

  LoopContext& context_;
  const ConnectionContext& connection_context_;
  ConnectionLink& link_;
  EarlyInterceptions early_{connection_context_};
};

}  // namespace trunkline::server
