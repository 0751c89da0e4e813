// SPDX-License-Identifier: MIT
// CallExchange: decodes requests and sends responses.
#include "server/call_exchange.h"

#include <cstdint>
#include <exception>
#include <utility>

namespace trunkline::server {

Status CallExchange::read_request(session::Event& event, LoopMethod& served, std::unique_ptr<CallMessages>& messages) {
  if (event.is_compressed) {
    if (Status status = link_.session()->decompress(event); !status.is_ok()) return status;
  }
  try {
    messages = served.take_messages();
    return served.decode(event, *messages);
  } catch (...) {
    messages.reset();
    return current_exception_status(served.method());
  }
}

void CallExchange::send_refusal(session::CallId id, const Status& status) {
  if (session::Session* const session = link_.session(); session != nullptr) {
    static_cast<void>(session->finish(id, status, {}, nullptr, true));
  }
}

/// Sends a response that has leading metadata or is counted.
Status CallExchange::send_with_details(session::Session& session, session::CallId id, const Status& status,
                                       const session::OutgoingMessage& response, const CallContext& context,
                                       CallMetrics& metrics, bool has_run) {
  const std::uint64_t taken_before = metrics.is_collected() ? session.payload_bytes_accepted() : 0;
  Status sent = context.leading() == nullptr ? session.finish(id, status, response, context.trailing(), !has_run)
                                             : finish_with_leading(session, id, status, response, context, has_run);
  if (metrics.is_collected()) {
    metrics.bytes_sent().add(static_cast<std::int64_t>(session.payload_bytes_accepted() - taken_before));
  }
  return sent;
}

Status CallExchange::finish_with_leading(session::Session& session, session::CallId id, const Status& status,
                                         const session::OutgoingMessage& response, const CallContext& context,
                                         bool has_run) {
  const Status sent = session.send(id, {.compressor = response.compressor}, context.leading(), false);
  // Leading metadata that is too large, or that the protocol cannot carry, becomes the status, unless the handler has
  // failed, which says more. finish() finds out, too, whether the caller is still there.
  if (session::is_refusal_of_metadata(sent)) {
    if (status.is_ok()) return session.finish(id, sent, {}, context.trailing(), !has_run);
    server_state().log(LogLevel::warning, sent.message(), context.method(), connection_context_.peer);
  }
  return session.finish(id, status, response, context.trailing(), !has_run);
}

void CallExchange::count_and_log(const Status& status, const Status& sent, std::string_view method,
                                 CallMetrics& metrics) {
  // A call that was too late has nothing wrong with its response.
  if (status.is_ok() && !sent.is_ok() && sent.code() != StatusCode::deadline_exceeded) {
    server_state().log(LogLevel::warning, sent.message(), method, connection_context_.peer);
  }
  (status.is_ok() && sent.is_ok() ? totals().calls_ok : totals().calls_failed).add();
  if (metrics.is_collected()) metrics.end(status.is_ok() ? sent.code() : status.code(), read_clock());
}

Status CallExchange::current_exception_status(const RegisteredMethod& method) {
  totals().handler_exceptions.add();
  return exception_outcome(server_state(), method, std::current_exception(), connection_context_.peer).status;
}

}  // namespace trunkline::server
