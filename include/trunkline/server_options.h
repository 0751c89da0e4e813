// SPDX-License-Identifier: MIT
// ServerOptions: what a server offers to its clients, and its limits.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>
#include <trunkline/event_loop.h>
#include <trunkline/interceptor.h>
#include <trunkline/log.h>
#include <trunkline/overload_options.h>
#include <trunkline/tls.h>
#include <trunkline/transport_options.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace trunkline {

/// The settings of a server. Values out of range are refused when the server is constructed.
struct ServerOptions {
  ConnectionLimits limits{};
  TransportOptions transport{};
  TlsOptions tls{};
  /// The settings of each of the server's own loops; ignored if the server runs on a user's loop.
  EventLoopOptions loop{};
  /// The number of event loops, one thread each; 1 to 1024. run() uses the calling thread for the first one.
  std::size_t loops = 1;
  /// The number of workers for blocking handlers, which start with the first blocking method; 0: as many as there are
  /// processors.
  std::size_t worker_threads = 0;
  /// The number of calls that may wait for a worker; more are refused with resource_exhausted.
  std::size_t max_queued_blocking_calls = 10000;
  CodecRegistry codecs = CodecRegistry::with_defaults();
  CompressorRegistry compressors = CompressorRegistry::with_defaults();
  /// The name of the compressor for responses, used where the client supports it; "identity": no compression. If it is
  /// empty, responses use the compressor of the request.
  std::string compressor{};
  /// Messages shorter than this are sent uncompressed.
  std::size_t compression_threshold = 1024;
  /// The number of connections that may be open or in their handshake; further ones are closed once they are accepted.
  std::size_t max_connections = 100000;
  /// The number of connections from one address that may be open or in their handshake. An IPv6 address counts by its
  /// network of 64 bits. Peers over unix:// and inproc:// are not limited.
  std::size_t max_connections_per_peer = 10000;
  /// The networks of proxies that send a header of the PROXY protocol, version 1 or 2, on each connection, such as
  /// "10.0.0.0/8", "fd00::/8", "192.0.2.1", and "unix:" for all peers over unix sockets. Their connections must begin
  /// with the header, and the client that it names counts as the peer. On connections from elsewhere a header is
  /// refused as an unknown protocol.
  std::vector<std::string> trusted_proxies{};
  /// The number of calls of one connection that may be open, or have a handler that runs or waits for a worker. A
  /// cancelled call counts until its handler has ended. Clients learn the limit; more open calls are refused. A call
  /// that is beyond it only because handlers of cancelled calls still run waits until enough of them have ended.
  std::uint32_t max_concurrent_calls_per_connection = 16384;
  /// The number of calls from one address that may run, over all of its connections; more are refused with
  /// resource_exhausted. Addresses are told apart as for max_connections_per_peer.
  std::size_t max_concurrent_calls_per_peer = 262144;
  /// The number of calls of all connections together that may run; more are refused with resource_exhausted.
  std::size_t max_concurrent_calls = 1000000;
  /// Says what the server does when calls take too long.
  OverloadOptions overload{};
  /// Memory for everything that is held for clients: input that is incomplete or unread, requests of running handlers,
  /// output that waits, metadata and the state of calls. 1 MiB or more; raised to 4 * limits.max_message_bytes. When
  /// half of it is used, new calls of connections that hold a part of it, and whose address holds a quarter of its
  /// share, are refused with resource_exhausted before their requests are read; those of the others when seven eighths
  /// are used. Long requests wait when three eighths are used, other long messages when three quarters are, except one
  /// at a time. When all of it is used, nothing is read from connections whose messages wait for the application.
  std::size_t max_memory_bytes = 1024u << 20;
  /// The share of max_memory_bytes that may be held for one address, in percent; 1 to 100. Beyond this, the long
  /// messages of the address wait, except one at a time, new calls of its connections that hold something are refused,
  /// and nothing is read from those whose messages wait for the application. Once the address holds far more, half way
  /// to seven eighths of max_memory_bytes, new calls of all its connections are refused. Addresses are told apart as
  /// for max_connections_per_peer; all peers over unix:// and inproc:// count as one.
  std::size_t max_memory_percent_per_peer = 50;
  /// The number of calls a second that the client of a connection may cancel, over time; 0: any number. At once it may
  /// cancel twice as many, or twice as many as it may have open if that is more. Beyond that the connection is not read
  /// for a second, and after ten such seconds it is closed.
  std::size_t max_cancelled_calls_per_second = 10000;
  /// The amount of a connection's input that is served at a stretch, in bytes of messages after decompression, before
  /// the other connections of its loop get their turn; 64 KiB to 2^31 - 1. Each message counts 64 bytes more. A single
  /// message is not divided.
  std::size_t max_turn_bytes = 1u << 20;
  /// A handler that holds its loop for longer is reported to the log; 0: never.
  std::chrono::milliseconds slow_handler_threshold{100};
  /// A connection without calls is drained and closed after this time; 0: never.
  std::chrono::milliseconds idle_timeout{0};
  /// A connection of this age is drained: it takes no further calls, and closes after the last one. Its client connects
  /// again, so that load spreads to new servers and names are looked up again. The age of each connection differs by up
  /// to 10 %. 0: no limit.
  std::chrono::milliseconds max_connection_age{0};
  /// The time for which the calls of such a connection may go on before they are cancelled; 0: no limit.
  std::chrono::milliseconds max_connection_age_grace{0};
  /// A gRPC client may not ping more often than this while it gets no headers or messages. While no call is open it may
  /// ping every two hours, unless allow_idle_pings is set. At the third ping that comes too early its connection is
  /// closed with "too_many_pings", after which gRPC's clients ping less often. 0: any number.
  std::chrono::milliseconds min_ping_interval{300000};
  /// If it is true, gRPC clients may ping while no call is open, as often as min_ping_interval allows.
  bool allow_idle_pings = false;
  /// The names by which clients of all versions and protocols over HTTP, WebSocket and gRPC too, call the server, such
  /// as "api.example.com", and "*.example.com" for all names below example.com. Requests for other hosts get 421,
  /// except those for localhost and for IP addresses. If it is empty, a page of any site whose name is made to point at
  /// this server (DNS rebinding) can call it from the browser of somebody who reaches it.
  std::vector<std::string> allowed_hosts{};
  /// The pages that may open a WebSocket, as the browser names them in Origin, such as "https://example.org"; "*": all.
  /// If it is empty, the pages of this server may, whose Origin has the host and port that the request names in Host.
  /// An attacker whose name points at this server's address gets past this rule, so a server on a private address that
  /// serves without authentication should list its origins, or its hosts in allowed_hosts. Clients that are no browsers
  /// send no Origin and need none.
  std::vector<std::string> allowed_origins{};
  /// The pages of other origins that may call methods by HTTP, and read the responses (CORS), such as
  /// "https://example.org", as browsers send it: in lower case, and without the usual port; "*": all; empty: none.
  /// Browsers send no cookies with such requests. Routes are left out: their handlers send the headers that they want.
  std::vector<std::string> cors_origins{};
  /// If it is true, the status that the caller sees contains what() of an exception of a handler, codec or compressor.
  /// Otherwise only the log contains it.
  bool expose_exception_text = false;
  /// The hooks that run around every call. Interceptor says in which order they run.
  std::vector<std::shared_ptr<Interceptor>> interceptors{};
  /// Receives warnings, such as of connections that were refused, and errors, such as exceptions of handlers. An empty
  /// function turns the log off.
  LogCallback log = &log_to_stderr;
};

}  // namespace trunkline
