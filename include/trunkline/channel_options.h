// SPDX-License-Identifier: MIT
// ChannelOptions: how a channel connects, what it offers to servers, and its limits.
#pragma once

#include <trunkline/balancing.h>
#include <trunkline/breaker_options.h>
#include <trunkline/channel_state.h>
#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>
#include <trunkline/event_loop.h>
#include <trunkline/hedging_options.h>
#include <trunkline/interceptor.h>
#include <trunkline/log.h>
#include <trunkline/resolver.h>
#include <trunkline/tls.h>
#include <trunkline/transport_options.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline {

/// The delay before the n-th attempt to connect after a failure: initial * multiplier^(n-1), at most maximum, varied at
/// random by +-jitter (0 to 1). A connection counts as a failure too if the server opens it and ends it before it has
/// responded to a call, unless it has lasted for `initial` (at most a second) or has had no calls. The first of them in
/// a row is replaced without a delay. A response resets the count. See
/// https://github.com/grpc/grpc/blob/master/doc/connection-backoff.md.
struct BackoffOptions {
  std::chrono::milliseconds initial{100};
  std::chrono::milliseconds maximum{30000};
  double multiplier = 1.6;
  double jitter = 0.2;
  /// The seed of the jitter; 0: the system provides one.
  std::uint64_t seed = 0;
};

/// Says what happens to calls beyond ChannelOptions::max_pending_calls.
enum class PendingPolicy : std::uint8_t {
  /// The calls wait as well, in order, until their deadline. The callers must bound their number.
  wait,
  /// The calls end with resource_exhausted at once, streams included.
  fail,
};

/// The versions of HTTP that channels with http://, https://, grpc-web:// and grpc-webs:// speak. HTTP/2 carries any
/// number of calls on a connection, HTTP/1.1 one at a time.
enum class HttpVersion : std::uint8_t {
  /// With TLS, the channel speaks what the server prefers. Otherwise it speaks HTTP/2, and HTTP/1.1 from then on if the
  /// server answers in that; no call is lost by it.
  automatic,
  http1,
  http2,
};

/// The settings of a channel. Values out of range are refused when the channel is constructed.
struct ChannelOptions {
  ConnectionLimits limits{};
  TransportOptions transport{};
  TlsOptions tls{};
  /// The settings of the channel's own loop; ignored if the channel runs on a user's loop.
  EventLoopOptions loop{};
  CodecRegistry codecs = CodecRegistry::with_defaults();
  CompressorRegistry compressors = CompressorRegistry::with_defaults();
  /// The name of the compressor for requests whose call names none; empty: they are not compressed.
  std::string compressor{};
  /// The authority that requests of all protocols over HTTP name, which servers and proxies may look at. If it is
  /// empty, they name the host and port of the URI, or "localhost" for other endpoints.
  std::string authority{};
  /// Requests over HTTP say in their user-agent field that this is the client, in up to 1024 printable ASCII
  /// characters. If it is empty, they say "trunkline/VERSION". Applications usually put their own name in front, as in
  /// "orders/2.1 trunkline/0.1.0" (RFC 9110, section 10.1.5).
  std::string user_agent{};
  /// In the Connect protocol, unary calls that are marked idempotent are sent as GET, so that caches on the way may
  /// answer them. Servers refuse that (failed_precondition) for methods that are not known to have no side effects. The
  /// message is part of the URL then; one that makes it longer than 4096 bytes is sent as POST.
  bool http_get = false;
  /// In the gRPC-Web protocol, bodies are sent in base64 (application/grpc-web-text), for proxies on the way that pass
  /// only text. Servers take one message in a request of that form.
  bool grpc_web_text = false;
  /// The version of HTTP that the channel speaks in the Connect and gRPC-Web protocols.
  HttpVersion http_version = HttpVersion::automatic;
  /// The most connections to a server over HTTP/1.1, where this replaces max_connections: a call gets a connection of
  /// its own while it lasts, and waits for one once there are so many. Idle connections are closed after idle_timeout,
  /// or after 50 s if that is 0.
  std::size_t max_http1_connections = 64;
  /// Messages shorter than this are sent uncompressed.
  std::size_t compression_threshold = 1024;
  /// The timeout of calls that set neither a timeout nor a deadline; unset: they have no limit.
  std::optional<std::chrono::nanoseconds> default_timeout{};
  /// The time that one attempt to connect may take, TLS handshake included.
  std::chrono::milliseconds connect_timeout{20000};
  BackoffOptions backoff{};
  /// The most connections of the pool, which makes as many as there are calls at a time. A call goes to the connection
  /// with the fewest open calls. The first calls are shared out among the connections that are made for them.
  std::size_t max_connections = 1;
  /// The memory for everything that is held for servers: input that is incomplete or unread, output that waits,
  /// metadata and the state of calls. 1 MiB or more; raised to 4 * limits.max_message_bytes. When half of it is used,
  /// new calls wait. Long messages wait when three quarters are used, except one at a time. When all of it is used,
  /// nothing is read from connections whose messages wait for the application.
  std::size_t max_memory_bytes = 512u << 20;
  /// The way in which a channel to several servers chooses among them. Each server has a pool of max_connections.
  BalancingOptions balancing{};
  /// The breaker that stops calls of a method to a failing server. It applies to channels to any number of servers.
  BreakerOptions circuit_breaker{};
  /// The application's own resolvers, by the scheme of their URIs. They take precedence over the resolvers of the
  /// library (ResolverRegistry::built_in()).
  ResolverRegistry resolvers{};
  /// A connection without calls is closed after this time; 0: never.
  std::chrono::milliseconds idle_timeout{0};
  /// The most calls that may wait for a connection, or for room on one. See pending_policy.
  std::size_t max_pending_calls = 100000;
  /// Says what happens to calls beyond max_pending_calls.
  PendingPolicy pending_policy = PendingPolicy::fail;
  /// The server runs the calls of the connection one after the other and responds in order (FIFO). Needs
  /// max_connections == 1.
  bool ordered = false;
  /// Calls are sent on a connection before the server's hello has come, which saves the first calls one round trip. If
  /// such a connection is lost before its hello, they may have run, and only idempotent ones are retried. The first
  /// address that accepts a connection is used then. By default calls wait for the hello.
  bool early_calls = false;
  /// The number of times that a call is retried when its connection was lost, or when the server refused it as not run
  /// (unavailable; never resource_exhausted, by which a server sheds load) and still takes calls. Two kinds of calls
  /// are retried: idempotent calls, and calls that certainly have not run and whose request is still available (see
  /// max_retained_request_bytes). One-way calls never are, and streams only while they have received nothing. Before a
  /// retry on an open connection there is a pause. A retry budget applies to the whole channel: when most calls fail,
  /// retries stop.
  ///
  /// A call that certainly has not run, because it is beyond the last call of a server that goes away or had not left
  /// this side when its connection was lost, is sent again on another connection until its deadline. Such retries are
  /// not counted here, and the budget does not pay for them. From the second one of a call on there is a pause before
  /// each, which grows as `backoff` says; without a deadline there are 10 of them. A stream of any kind is opened again
  /// in the same way while nothing has been received, with all that was written, if that is still held. An ordered
  /// channel retries nothing.
  int max_retries = 3;
  /// Requests of asynchronous calls up to this size are held until the call ends, in encoded form, so that the call can
  /// be retried; 0: none are. Requests of blocking calls, of call_many(), of idempotent calls, and of calls that waited
  /// for a connection are available at any size. For a stream it is the limit of all that was written, together with 64
  /// bytes for each message after the first.
  std::size_t max_retained_request_bytes = 1 << 10;
  /// gRPC's service config (JSON) says for each method how its calls are retried or hedged, how long they may take, and
  /// how long their messages may be. Empty: there is none. A config that the resolver reports takes its place. See
  /// ServiceConfig.
  std::string service_config{};
  /// Says how unary calls that are marked idempotent are hedged, unless the service config asks for retries or hedging
  /// of their method. Unset: they are not hedged.
  std::optional<HedgingOptions> hedging{};
  /// The hooks that run around every call. Interceptor says in which order they run.
  std::vector<std::shared_ptr<Interceptor>> interceptors{};
  /// Called with the new state whenever Channel::state() has changed, on the thread that runs the channel's loop, or on
  /// that of the destructor. It must not block, throw, or destroy the channel; it may begin asynchronous calls.
  std::function<void(ChannelState state)> on_state_change{};
  /// Receives a warning for each failed attempt to connect and for each lost connection, and errors that handlers
  /// throw. An empty function turns the log off.
  LogCallback log = &log_to_stderr;
};

}  // namespace trunkline
