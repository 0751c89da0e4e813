// SPDX-License-Identifier: MIT
// ServerState: derives values from the options, and writes the log.
#include "server/server_state.h"

#include <utility>

namespace trunkline::server {

namespace {

session::SessionOptions session_options_of(const ServerOptions& options, session::MemoryBudget& memory) {
  return {.limits = options.limits,
          .max_concurrent_calls = options.max_concurrent_calls_per_connection,
          .ordered = false,
          .allowed_hosts = options.allowed_hosts,
          .allowed_origins = options.allowed_origins,
          .cors_origins = options.cors_origins,
          .codecs = &options.codecs,
          .compressors = &options.compressors,
          .compression_threshold = options.compression_threshold,
          .min_ping_interval = options.min_ping_interval,
          .allow_idle_pings = options.allow_idle_pings,
          .memory = &memory};
}

/// Returns the options with the protocols that clients may negotiate: every one spoken, unless the options name some.
ServerOptions with_alpn(ServerOptions options, const session::ProtocolTable& spoken) {
  if (options.tls.alpn.empty()) options.tls.alpn = spoken.alpn_names();
  return options;
}

}  // namespace

ServerState::ServerState(ServerOptions given, session::ProtocolTable spoken)
    : options(with_alpn(std::move(given), spoken)),
      memory(options.max_memory_bytes, static_cast<std::size_t>(options.limits.max_message_bytes)),
      session_options(session_options_of(options, memory)),
      protocols(std::move(spoken)),
      interceptors(options.interceptors, &options.log, options.expose_exception_text),
      admission({.total = options.max_concurrent_calls,
                 .per_peer = options.max_concurrent_calls_per_peer,
                 .per_connection = options.max_concurrent_calls_per_connection},
                options.overload),
      peers(memory, options.max_memory_percent_per_peer),
      connections(options.max_connections, options.max_connections_per_peer),
      workers(options.worker_threads, options.max_queued_blocking_calls,
              {.levels = admission.priorities().levels(),
               .target = options.overload.queue_target,
               .interval = options.overload.queue_interval}) {}

void ServerState::log(LogLevel level, std::string_view message, std::string_view method,
                      std::string_view peer) const noexcept {
  if (options.log) options.log({level, message, method, peer});
}

}  // namespace trunkline::server
