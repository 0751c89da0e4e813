// SPDX-License-Identifier: MIT
// ServerOptions: what a server offers and where its limits are.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>
#include <trunkline/event_loop.h>
#include <trunkline/interceptor.h>
#include <trunkline/tls.h>
#include <trunkline/transport_options.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace trunkline {

struct ServerOptions {
  ConnectionLimits limits{};
  TransportOptions transport{};
  TlsOptions tls{};
  EventLoopOptions loop{};
  std::size_t loops = 1;  ///< event loops, one thread each (run() uses the caller's for the first); 1 to 1024
  std::size_t worker_threads =
      0;  ///< for blocking handlers; 0: as many as there are processors, started with the first blocking method
  std::size_t max_queued_blocking_calls = 10000;  ///< waiting for a worker; more are refused with resource_exhausted
  CodecRegistry codecs = CodecRegistry::with_defaults();
  CompressorRegistry compressors = CompressorRegistry::with_defaults();
  /// For responses: empty: the request's compressor; "identity": none; otherwise this one where the client knows it.
  std::string compressor{};
  std::size_t compression_threshold = 1024;
  std::size_t max_connections =
      100000;  ///< those in their handshake included; more are closed right after being accepted
  std::uint32_t max_concurrent_calls_per_connection = 16384;  ///< told to clients; more are refused
  std::size_t max_concurrent_calls = 1000000;  ///< over all connections; more are refused with resource_exhausted
  std::chrono::milliseconds idle_timeout{0};  ///< a connection without calls is drained and closed after this; 0: never
  bool expose_exception_text = false;  ///< what() of an exception of a handler, codec or compressor in the caller's
                                       ///< status; otherwise only in the log
  std::vector<std::shared_ptr<Interceptor>> interceptors{};
  LogCallback log{};
};

}  // namespace trunkline
