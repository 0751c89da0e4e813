// SPDX-License-Identifier: MIT
// What becomes of a handler's exception.
#include "server/handler_run.h"

#include <string>

namespace trunkline::server {

HandlerOutcome exception_outcome(const Environment& environment, const Method& method, std::string_view text,
                                 std::string_view peer) {
  std::string message = "handler of " + method.name + " threw an exception";
  const std::string with_text = message + ": " + std::string(text);
  environment.log(LogLevel::error, with_text, method.name, peer);
  return {Status(StatusCode::internal, environment.options.expose_exception_text ? with_text : message), true};
}

HandlerOutcome exception_outcome(const Environment& environment, const Method& method, const std::exception_ptr& error,
                                 std::string_view peer) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception_outcome(environment, method, exception.what(), peer);
  } catch (...) {
    return exception_outcome(environment, method, "not a std::exception", peer);
  }
}

Status codec_exception_status(const Environment& environment, const Status& without_text, std::string_view text,
                              std::string_view method, std::string_view peer) {
  const Status whole(without_text.code(), std::string(without_text.message()) + ": " + std::string(text));
  environment.log(LogLevel::error, whole.message(), method, peer);
  return environment.options.expose_exception_text ? whole : without_text;
}

}  // namespace trunkline::server
