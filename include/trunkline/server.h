// SPDX-License-Identifier: MIT
// Server: serves methods on one or more endpoints.
#pragma once

#include <trunkline/announce_options.h>
#include <trunkline/console_options.h>
#include <trunkline/detail/completion.h>
#include <trunkline/detail/deduced_handler.h>
#include <trunkline/detail/route_handler.h>
#include <trunkline/detail/stream_handler.h>
#include <trunkline/detail/unary_handler.h>
#include <trunkline/endpoint.h>
#include <trunkline/event_loop.h>
#include <trunkline/method_handler.h>
#include <trunkline/method_options.h>
#include <trunkline/server_context.h>
#include <trunkline/server_options.h>
#include <trunkline/server_statistics.h>
#include <trunkline/server_totals.h>
#include <trunkline/service.h>

#include <asio/async_result.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace trunkline {

namespace server {
class ServerCore;
}

/// Serves methods. All functions may be called from any thread, except where noted. Handlers must be thread-safe if the
/// server has several loops, or if they are blocking. They may add and remove methods and stop the server. A handler
/// that runs on a loop must not make a blocking call to its own server: with one loop the call fails with
/// failed_precondition, and with more it waits until its deadline if its connection belongs to the handler's loop.
class TRUNKLINE_API Server {
 public:
  /// Throws std::invalid_argument, naming the option and its range.
  explicit Server(ServerOptions options = {});
  /// Makes a server that runs on the user's loop, which must outlive it. It starts no threads except the workers of
  /// blocking handlers. options.loops must be 1; options.loop is ignored. Unless run() drives the loop, listen(),
  /// try_listen(), stop(), reload_tls() and the destructor must be called on the loop's thread, or on any thread while
  /// the loop does not run. Blocking handlers may call all of these but the destructor: the loop then does the work,
  /// and stop() returns before it is done.
  explicit Server(EventLoop& loop, ServerOptions options = {});
  /// Makes a server for the tests and simulations of Trunkline itself.
  explicit Server(std::shared_ptr<server::ServerCore> core) noexcept;
  /// Calls stop(). Must not run in a handler of the server, nor where async_shutdown() forbids it.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves a unary method with a function of one of these forms. What it returns may be wrapped in asio::awaitable<>
  /// or Blocking<>:
  ///   Status(const Request&, Response&, ServerContext&)     no heap allocation of ours; the response is cleared before
  ///   Response(const Request&, ServerContext&)
  ///   Result<Response>(const Request&, ServerContext&)
  ///   Status(const Request&, ServerContext&)                only if Response is Empty
  /// Slice as Request or Response passes payloads unchanged; Empty stands for no argument or no result. A plain
  /// function runs on the loop until it returns and must not block. A function that returns Blocking<> runs on the
  /// worker pool. A coroutine runs on the connection's loop and is cancelled (terminal) with its call. `method` is any
  /// UTF-8 text of 1 to 1024 bytes. Throws std::invalid_argument if `method` is not, if it is registered already, and
  /// if the options do not suit the handler.
  template <class Request, class Response, detail::UnaryFunction<Request, Response> Handler>
  void handle(std::string_view method, Handler handler, MethodOptions options = {}) {
    add(method,
        std::make_unique<detail::UnaryHandler<Request, Response, Handler>>(std::move(handler), options.blocking),
        options);
  }
  /// Serves a unary method, with the message types taken from the signature of the handler: a function, or an object
  /// with one operator(), that takes (const Request&), (const Request&, ServerContext&), (ServerContext&), nothing, or
  /// (const Request&, Response&, ServerContext&). It returns Response, Result<Response>, Status or nothing, optionally
  /// in awaitable<> or Blocking<>. Structs, numbers and containers need `#include <trunkline/plain.h>`.
  template <detail::DeducibleFunction Handler>
  void handle(std::string_view method, Handler handler, MethodOptions options = {}) {
    using Form = detail::FormOf<Handler>;
    using Request = typename Form::Request;
    if constexpr (!detail::can_serve<Handler>()) {
    } else if constexpr (Form::is_whole) {
      handle<Request, typename Form::Response>(method, std::move(handler), options);
    } else {
      handle<Request, typename Form::Response>(method, detail::Deduced<Handler, Request>{std::move(handler)}, options);
    }
  }
  /// Serves a unary method with a function that may block but does not return Blocking<>. It runs on the worker pool;
  /// coroutines are refused.
  template <class Request, class Response, detail::UnaryFunction<Request, Response> Handler>
  void handle_blocking(std::string_view method, Handler handler, MethodOptions options = {}) {
    static_assert(!detail::Awaited<detail::Outcome<Handler, Request, Response>>::is_awaitable,
                  "a coroutine does not block: register it with handle()");
    add(method, std::make_unique<detail::UnaryHandler<Request, Response, Handler>>(std::move(handler), true), options);
  }
  /// Serves a bidirectional stream with a function (ServerStream<Request, Response>&, ServerContext&). It returns
  /// awaitable<Status>, or Status or Blocking<Status>; in the latter cases it runs on the worker pool and may block.
  /// The stream ends with the returned status, even if the client has not closed its side.
  template <class Request, class Response, detail::StreamFunction<Request, Response> Handler>
  void handle_stream(std::string_view method, Handler handler, MethodOptions options = {}) {
    add(method, std::make_unique<detail::StreamHandler<Request, Response, Handler>>(std::move(handler)), options);
  }
  /// Serves a client stream with a function (ServerReader<Request>&, Response&, ServerContext&); returns as above.
  template <class Request, class Response, detail::ClientStreamFunction<Request, Response> Handler>
  void handle_client_stream(std::string_view method, Handler handler, MethodOptions options = {}) {
    add(method, std::make_unique<detail::ClientStreamHandler<Request, Response, Handler>>(std::move(handler)), options);
  }
  /// Serves a server stream with a function (const Request&, ServerWriter<Response>&, ServerContext&), which returns
  /// what the function of handle_stream() returns.
  template <class Request, class Response, detail::ServerStreamFunction<Request, Response> Handler>
  void handle_server_stream(std::string_view method, Handler handler, MethodOptions options = {}) {
    add(method, std::make_unique<detail::ServerStreamHandler<Request, Response, Handler>>(std::move(handler)), options);
  }
  /// Serves the methods of a generated service with an object whose class derives from its `Service`. Throws as
  /// handle() does; then none of the methods is registered.
  template <GeneratedService Service>
  void add_service(std::shared_ptr<Service> service) {
    add_service(Service::define(service));
  }
  /// Serves the methods of a generated service with an object that must outlive the server.
  template <GeneratedService Service>
  void add_service(Service& service) {
    add_service(std::shared_ptr<Service>(std::shared_ptr<Service>(), &service));
  }
  /// Serves one generated service of a class that derives from several, and must say which one is meant:
  /// add_service<example::Echo>(object).
  template <class Generated, class Service>
  requires requires(std::shared_ptr<Service> service) { Generated::Service::define(service); }
  void add_service(std::shared_ptr<Service> service) { add_service(Generated::Service::define(service)); }
  template <class Generated, class Service>
  requires requires(std::shared_ptr<Service> service) { Generated::Service::define(service); }
  void add_service(Service& service) {
    add_service<Generated>(std::shared_ptr<Service>(std::shared_ptr<Service>(), &service));
  }
  void add_service(ServiceDefinition service);

  /// Registers a handler that the caller constructed.
  void add(std::string_view method, std::unique_ptr<MethodHandler> handler, const MethodOptions& options = {});
  /// Serves requests of HTTP/1.1 and HTTP/2 on all endpoints with a function of one of these forms, for pages, probes
  /// and files; docs/guide/routes.md tells more. What it returns may be wrapped in asio::awaitable<> or Blocking<>:
  ///   HttpResponse(const HttpRequest&, ServerContext&)
  ///   HttpResponse(const HttpRequest&)
  ///   Result<HttpResponse>(...)                             an error answers as that of a method does
  /// `http_method`: GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS; GET serves HEAD too. `path`: begins with '/', is
  /// not percent-encoded, and may end with "/*", which stands for any rest. Routes with just the path of a request come
  /// before methods of its name, and methods before routes with '*', of which the longest is taken. Requests of gRPC,
  /// gRPC-Web and Connect reach methods only. A path that has routes, but not for the request's method, answers 405.
  /// Its calls are limited, intercepted and counted as those of a method with the name "GET /path", by which remove()
  /// removes it; methods() and reflection do not list it. Throws std::invalid_argument for a method or path of another
  /// form, for a route that exists, and if the options do not suit the handler.
  template <detail::RouteFunction Handler>
  void route(std::string_view http_method, std::string_view path, Handler handler, MethodOptions options = {}) {
    using Adapted = detail::RouteHandler<Handler>;
    add_route(
        http_method, path,
        std::make_unique<detail::UnaryHandler<Slice, Slice, Adapted>>(Adapted(std::move(handler)), options.blocking),
        options);
  }
  /// Serves a route with a handler that the caller constructed: unary, from bytes to bytes. Its metadata is that of
  /// HttpRequest::headers(). Its leading metadata holds the headers of the response, and "trunkline-status" the status,
  /// which is 200 without it.
  void add_route(std::string_view http_method, std::string_view path, std::unique_ptr<MethodHandler> handler,
                 const MethodOptions& options = {});

  /// Serves a console: a page for browsers that lists the methods, calls them, and shows what the server does. It is a
  /// route, and the service trunkline.v1.Console beside it. The server collects statistics from now on. Returns
  /// ConsoleOptions::endpoint with the port that the system chose, and without one an Endpoint that is empty. Needs a
  /// build with protobuf. Throws std::invalid_argument for a token that is too short, for a path that is none, and if
  /// the server has a console already; StatusError as listen() does. docs/guide/console.md tells more.
  Endpoint add_console(const ConsoleOptions& options = {});

  /// Serves the calls of all methods that are not registered, whatever their names; context.method() tells which one is
  /// called. Without a fallback such calls end with unimplemented. methods() and reflection do not list it. A handler
  /// of a bidirectional stream serves every kind of call over gRPC. Throws std::invalid_argument if there is one
  /// already. remove("") removes it.
  void add_fallback(std::unique_ptr<MethodHandler> handler, const MethodOptions& options = {});
  /// Removes a method; returns false if there is none of that name. Running calls continue. On other loops, calls may
  /// still begin until their current batch of events ends. The handler is destroyed after its last call, once every
  /// loop has noticed the removal.
  bool remove(std::string_view method);
  /// Returns true if a method of that name is registered.
  bool has(std::string_view method) const;
  /// Returns the registered methods, sorted by name.
  std::vector<MethodInfo> methods() const;
  /// Returns a number that increases with every change of methods().
  std::uint64_t methods_version() const;

  /// Opens an endpoint and returns it with the port that the system chose. Connections are accepted once the server has
  /// started. Throws StatusError: invalid_argument (the URI), already_exists (the address is in use),
  /// failed_precondition (the server was stopped) and others.
  Endpoint listen(std::string_view uri);
  /// Opens an endpoint as listen() does, and returns a Result instead of throwing.
  Result<Endpoint> try_listen(std::string_view uri);
  /// Opens a private endpoint as listen() does, for operations: it serves everything, including what
  /// MethodOptions::is_private keeps from other endpoints. It is not among endpoints(), and not announced.
  Endpoint listen_private(std::string_view uri);
  Result<Endpoint> try_listen_private(std::string_view uri);
  std::vector<Endpoint> endpoints() const;
  /// Announces the server to clients whose channels have the same URI, such as
  /// "etcd://e1:2379,e2:2379/services/orders", from the time when it is started until shutdown() begins: then it is
  /// withdrawn before anything else happens, and goes on serving for AnnounceOptions::drain_delay. A server that stops
  /// in another way, or dies, is announced until AnnounceOptions::time_to_live has passed. What fails in between is
  /// tried again, and goes to the log. It uses the server's first loop. Call it after listen(); a server may be
  /// announced in several places. Throws StatusError: invalid_argument (the URI, or an endpoint that clients cannot
  /// reach and that AnnounceOptions::advertise must replace), failed_precondition (it listens nowhere, or has been
  /// stopped); and std::invalid_argument for an option out of its range.
  void announce(std::string_view uri, const AnnounceOptions& options = {});

  /// Serves on background threads, one per loop, and returns at once. On a user's loop, the server serves while that
  /// loop runs. Does nothing if the server is running. Errors: failed_precondition after stop(); resource_exhausted if
  /// the system refuses a thread, after which start() may be called again.
  Status start();
  /// Serves until stop() or until shutdown() ends. The first loop, or the user's, runs on this thread.
  Status run();
  /// Stops accepting connections and calls, lets the accepted calls finish, then stops. Calls that have not finished
  /// after `timeout` are cancelled, and the result is deadline_exceeded with their number. It does not wait for
  /// handlers that go on after that, on a worker or holding a loop: stop() or the destructor does. Ok at once if the
  /// server is stopped already. Blocks: it fails on a loop of the server's own (failed_precondition), and a user's loop
  /// must be running on another thread.
  Status shutdown(std::chrono::nanoseconds timeout);
  /// Begins a shutdown without blocking; stop() must still be called afterwards. May be called from any thread, with
  /// any Asio completion token. Signature: void(Status). The token completes once: on a loop's thread when all
  /// connections are closed; in stop(), with aborted, if that comes first; or before this function returns, with the
  /// result of the first shutdown (ok if there was none), if the server has already shut down or stopped. A handler
  /// with an executor of its own is posted to it. A handler without one must not destroy the server, which is still
  /// running below it: on own loops the destructor would wait for the thread that it runs on.
  template <class Token>
  requires(!std::same_as<std::remove_cvref_t<Token>, std::nullptr_t>) auto async_shutdown(
      std::chrono::nanoseconds timeout, Token&& token) {
    return asio::async_initiate<Token, void(Status)>(
        [this](auto handler, std::chrono::nanoseconds given) {
          const auto held = std::make_shared<detail::Completion<decltype(handler)>>(std::move(handler));
          this->async_shutdown(given, std::function<void(Status)>([held](Status status) {
                                 std::move(*held).deliver(true, std::move(status));
                               }));
        },
        token, timeout);
  }
  /// Begins a shutdown without blocking, and calls `done`, which may be null, as above.
  void async_shutdown(std::chrono::nanoseconds timeout, std::function<void(Status)> done);
  /// Calls `callback` once when the first shutdown begins, on the thread that begins it and before connections are
  /// notified; at once if it has already begun. Streams without an end of their own use it to finish, as they would
  /// otherwise delay the shutdown. `callback` must not throw.
  void on_shutdown(std::function<void()> callback);
  /// Stops at once: closes the connections (callers see open calls end with unavailable), cancels handlers, waits for
  /// running blocking handlers and joins the threads. In a handler of the server it only begins this, as shutdown()
  /// does on a user's loop; the destructor or another stop() completes it.
  void stop();

  /// Reads the certificate files of TlsOptions again, for connections accepted from then on. On error the old
  /// certificates stay in use.
  Status reload_tls();
  /// Returns the counts that every server keeps. Never waits for a loop.
  ServerTotals totals() const;
  /// From now on, counts calls by method and measures the latency of methods and loops. Costs one reading of the clock
  /// per call. May be called before or after start(); calling it again does nothing.
  void collect_statistics();
  /// Returns totals and metrics; those of methods and loops need collect_statistics(). Never waits for a loop.
  ServerStatistics statistics() const;

 private:
  std::shared_ptr<server::ServerCore> core_;
};

}  // namespace trunkline
