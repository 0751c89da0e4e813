// SPDX-License-Identifier: MIT
// run_guarded: a handler's function, its exceptions turned into the call's status.
#pragma once

#include "server/environment.h"
#include "server/method.h"

#include <exception>
#include <string_view>

namespace trunkline::server {

struct HandlerOutcome {
  Status status;
  bool threw = false;
};

/// Logs `text` whole; the caller sees it only if the server's options say so.
HandlerOutcome exception_outcome(const Environment& environment, const Method& method, std::string_view text,
                                 std::string_view peer);
/// `error` is not null.
HandlerOutcome exception_outcome(const Environment& environment, const Method& method, const std::exception_ptr& error,
                                 std::string_view peer);

/// A codec or compressor threw `text`, and `without_text` says at what. Logs it whole; returns what callers may see.
Status codec_exception_status(const Environment& environment, const Status& without_text, std::string_view text,
                              std::string_view method, std::string_view peer);

template <class Function>
HandlerOutcome run_guarded(const Environment& environment, const Method& method, std::string_view peer,
                           Function&& function) {
  try {
    return {function()};
  } catch (...) {
    return exception_outcome(environment, method, std::current_exception(), peer);
  }
}

}  // namespace trunkline::server
