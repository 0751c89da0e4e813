// SPDX-License-Identifier: MIT
// ServerTotals: the counts that every server keeps, without statistics being collected.
#pragma once

#include <cstdint>

namespace trunkline {

/// The counts of a server, as Server::totals() returns them. Loops change them meanwhile: they are exact at rest.
struct ServerTotals {
  // --- now ---

  /// The open connections past their handshake.
  std::uint64_t connections = 0;
  /// Calls that were accepted and have no response yet.
  std::uint64_t open_calls = 0;
  /// Calls of blocking handlers that wait for a worker.
  std::uint64_t queued_blocking_calls = 0;
  /// The memory that is held for clients, as ServerOptions::max_memory_bytes counts it: in steps of 64 KiB. A
  /// connection that holds less than 16 KiB counts as nothing.
  std::uint64_t memory_used_bytes = 0;
  /// The limit of the memory: ServerOptions::max_memory_bytes, or four of the longest messages if that is more.
  std::uint64_t memory_max_bytes = 0;
  /// The number of calls that may run or wait for a worker by OverloadOptions::adaptive_limit; 0: it is off.
  std::uint64_t adaptive_limit = 0;

  // --- since the server was made ---

  std::uint64_t connections_accepted = 0;
  /// The connections over max_connections, of another protocol, or silent during the handshake.
  std::uint64_t connections_refused = 0;
  /// Calls whose handler was run, or waits to be run.
  std::uint64_t calls_started = 0;
  /// Calls that ended with status ok.
  std::uint64_t calls_ok = 0;
  /// Calls that ended with another status, from the handler or because of it.
  std::uint64_t calls_failed = 0;
  /// Calls that the caller, the deadline or the end of the connection ended first.
  std::uint64_t calls_cancelled = 0;
  /// Calls that no handler has seen: over a limit, of an unknown method, or with a request that does not parse.
  std::uint64_t calls_refused = 0;
  /// The part of calls_refused that was shed because the server was overloaded: see OverloadOptions.
  std::uint64_t calls_shed = 0;
  /// Exceptions of handlers, and of codecs and compressors that served a call.
  std::uint64_t handler_exceptions = 0;
};

}  // namespace trunkline
