// SPDX-License-Identifier: MIT
// ServerStats: what a server has done so far, and what it is doing.
#pragma once

#include <cstdint>

namespace trunkline {

/// Totals since the server was made. Taken from per-loop counters while they move: exact once the server rests.
struct ServerStats {
  std::uint64_t connections = 0;            ///< open, past their handshake
  std::uint64_t open_calls = 0;             ///< accepted and not yet answered
  std::uint64_t queued_blocking_calls = 0;  ///< waiting for a worker
  std::uint64_t connections_accepted = 0;
  std::uint64_t connections_refused =
      0;                            ///< over max_connections, or of another protocol, or silent during the handshake
  std::uint64_t calls_started = 0;  ///< accepted: their handler was run, or waits to be
  std::uint64_t calls_ok = 0;
  std::uint64_t calls_failed = 0;  ///< finished with another status, by the handler or for it
  std::uint64_t calls_cancelled =
      0;  ///< given up by the caller, its deadline or its connection before they were finished
  std::uint64_t calls_refused = 0;  ///< never given to a handler: limits, unknown method, request that does not parse
  std::uint64_t handler_exceptions = 0;  ///< and of codecs and compressors while they serve a call
};

}  // namespace trunkline
