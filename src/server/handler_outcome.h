// SPDX-License-Identifier: MIT
// HandlerOutcome: how a handler ended, with an exception turned into a status.
#pragma once

#include "server/registered_method.h"
#include "server/server_state.h"

#include <exception>
#include <string_view>
#include <utility>

namespace trunkline::server {

struct HandlerOutcome {
  Status status;
  /// True if the handler was entered. Otherwise the call certainly has not run.
  bool has_run = false;
  /// True if the handler ended with an exception.
  bool threw = false;
};

/// Returns the outcome of a handler that threw an exception whose text is `text`. Logs the text; the caller gets it
/// only if ServerOptions::expose_exception_text is set.
HandlerOutcome exception_outcome(const ServerState& server_state, const RegisteredMethod& method, std::string_view text,
                                 std::string_view peer);
/// Returns the outcome of a handler that threw `error`, which must not be null.
HandlerOutcome exception_outcome(const ServerState& server_state, const RegisteredMethod& method,
                                 const std::exception_ptr& error, std::string_view peer);

/// Logs the exception `text` of a codec or compressor, and `without_text`, which says what it was doing. Returns the
/// status for callers.
Status codec_exception_status(const ServerState& server_state, const Status& without_text, std::string_view text,
                              std::string_view method, std::string_view peer);

/// Runs a handler's function, which returns a Status, and catches what it throws.
template <class Function>
HandlerOutcome run_guarded(const ServerState& server_state, const RegisteredMethod& method, std::string_view peer,
                           Function&& function) {
  try {
    return {.status = function(), .has_run = true};
  } catch (...) {
    return exception_outcome(server_state, method, std::current_exception(), peer);
  }
}

}  // namespace trunkline::server
