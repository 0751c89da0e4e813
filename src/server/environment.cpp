// SPDX-License-Identifier: MIT
// Making and logging of a server's shared part.
#include "server/environment.h"

namespace trunkline::server {

namespace {

session::SessionOptions session_options_of(const ServerOptions& options) {
  return {.limits = options.limits,
          .max_concurrent_calls = options.max_concurrent_calls_per_connection,
          .ordered = false,
          .codecs = &options.codecs,
          .compressors = &options.compressors,
          .compression_threshold = options.compression_threshold};
}

}  // namespace

Environment::Environment(ServerOptions given)
    : options(std::move(given)),
      session_options(session_options_of(options)),
      interceptors(options.interceptors),
      admission(options.max_concurrent_calls),
      workers(options.worker_threads, options.max_queued_blocking_calls) {}

void Environment::log(LogLevel level, std::string_view message, std::string_view method,
                      std::string_view peer) const noexcept {
  if (options.log) options.log({level, message, method, peer});
}

}  // namespace trunkline::server
