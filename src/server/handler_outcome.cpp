// SPDX-License-Identifier: MIT
// HandlerOutcome: what callers and the log learn of an exception.
#include "server/handler_outcome.h"

#include <string>

namespace trunkline::server {

HandlerOutcome exception_outcome(const ServerState& server_state, const RegisteredMethod& method, std::string_view text,
                                 std::string_view peer) {
  const std::string message = "handler of " + method.name + " threw an exception";
  const std::string with_text = message + ": " + std::string(text);
  server_state.log(LogLevel::error, with_text, method.name, peer);
  return {.status = Status(StatusCode::internal, server_state.options.expose_exception_text ? with_text : message),
          .has_run = true,
          .threw = true};
}

HandlerOutcome exception_outcome(const ServerState& server_state, const RegisteredMethod& method,
                                 const std::exception_ptr& error, std::string_view peer) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception_outcome(server_state, method, exception.what(), peer);
  } catch (...) {
    return exception_outcome(server_state, method, "not a std::exception", peer);
  }
}

Status codec_exception_status(const ServerState& server_state, const Status& without_text, std::string_view text,
                              std::string_view method, std::string_view peer) {
  const Status with_text(without_text.code(), std::string(without_text.message()) + ": " + std::string(text));
  server_state.log(LogLevel::error, with_text.message(), method, peer);
  return server_state.options.expose_exception_text ? with_text : without_text;
}

}  // namespace trunkline::server
