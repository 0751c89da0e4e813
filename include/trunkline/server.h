// SPDX-License-Identifier: MIT
// Server: hosts methods on one or more endpoints.
#pragma once

#include <trunkline/completion.h>
#include <trunkline/deduced_handler.h>
#include <trunkline/endpoint.h>
#include <trunkline/event_loop.h>
#include <trunkline/method_handler.h>
#include <trunkline/server_context.h>
#include <trunkline/server_options.h>
#include <trunkline/server_statistics.h>
#include <trunkline/server_stats.h>
#include <trunkline/service.h>
#include <trunkline/stream_handler.h>
#include <trunkline/unary_handler.h>

#include <asio/async_result.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// All functions may be called from any thread, except where noted. Handlers must be safe to be called from several
/// threads at once if there is more than one loop, or if they are blocking. Handlers may register, remove and stop.
class TRUNKLINE_API Server {
 public:
  /// Throws std::invalid_argument that names the option and its range.
  explicit Server(ServerOptions options = {});
  /// Serves on the user's loop, which must outlive the server; starts no thread, except workers for blocking handlers.
  /// options.loops must be 1 and options.loop is ignored. Unless run() serves it, listen(), try_listen(), stop(),
  /// reload_tls() and destruction are for the loop's thread then, or for any thread while the loop does not run.
  /// Blocking handlers may call all but the last: the loop does it, and stop() returns before it has.
  explicit Server(EventLoop& loop, ServerOptions options = {});
  /// stop()s. Not from a handler of the server, nor where async_shutdown() says.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Serves a unary method with a function of one of these forms, with or without asio::awaitable<> or Blocking<>
  /// around what it returns:
  ///   Status(const Request&, Response&, ServerContext&)         allocates nothing of ours; the response comes cleared
  ///   Response(const Request&, ServerContext&)
  ///   Result<Response>(const Request&, ServerContext&)
  ///   Status(const Request&, ServerContext&)                    if Response is Empty
  /// Slice as Request or Response passes payloads as they are; Empty stands for no argument or no result. Without
  /// either it runs to its end on the loop and must not block; Blocking<> runs on the worker pool; a coroutine runs on
  /// the connection's loop and is cancelled (terminal) with its call. `method` is any UTF-8 text of 1 to 1024 bytes.
  /// Throws std::invalid_argument if it is not, or is registered already, and for options that do not fit.
  template <class Request, class Response, UnaryFunction<Request, Response> Handler>
  void handle(std::string_view method, Handler handler, MethodOptions options = {}) {
    add(method, std::make_unique<UnaryHandler<Request, Response, Handler>>(std::move(handler), options.blocking),
        options);
  }
  /// The same with the messages that the function's own types name: of a function, or object with one operator(), that
  /// takes (const Request&), (const Request&, ServerContext&), (ServerContext&), nothing or (const Request&, Response&,
  /// ServerContext&), and returns Response, Result<Response>, Status or nothing, with or without awaitable<> or
  /// Blocking<>. `#include <trunkline/plain.h>` for structs, numbers and containers.
  template <handlers::DeducibleFunction Handler>
  void handle(std::string_view method, Handler handler, MethodOptions options = {}) {
    using Form = handlers::FormOf<Handler>;
    using Request = typename Form::Request;
    if constexpr (!handlers::can_serve<Handler>()) {
    } else if constexpr (Form::is_whole) {
      handle<Request, typename Form::Response>(method, std::move(handler), options);
    } else {
      handle<Request, typename Form::Response>(method, handlers::Deduced<Handler, Request>{std::move(handler)},
                                               options);
    }
  }
  /// The same for functions that may block, without awaitable; they run on the worker pool.
  template <class Request, class Response, UnaryFunction<Request, Response> Handler>
  void handle_blocking(std::string_view method, Handler handler, MethodOptions options = {}) {
    static_assert(!handlers::Awaited<handlers::Outcome<Handler, Request, Response>>::is_awaitable,
                  "a coroutine does not block: register it with handle()");
    add(method, std::make_unique<UnaryHandler<Request, Response, Handler>>(std::move(handler), true), options);
  }
  /// Streams of messages, both ways: (ServerStream<Request, Response>&, ServerContext&), which returns
  /// awaitable<Status>, or Status or Blocking<Status> and then blocks on the worker pool. The stream ends with
  /// what it returns, also if the client has not ended its side.
  template <class Request, class Response, StreamFunction<Request, Response> Handler>
  void handle_stream(std::string_view method, Handler handler, MethodOptions options = {}) {
    add(method, std::make_unique<StreamHandler<Request, Response, Handler>>(std::move(handler)), options);
  }
  /// Many requests, one response: (ServerReader<Request>&, Response&, ServerContext&), likewise.
  template <class Request, class Response, ClientStreamFunction<Request, Response> Handler>
  void handle_client_stream(std::string_view method, Handler handler, MethodOptions options = {}) {
    add(method, std::make_unique<ClientStreamHandler<Request, Response, Handler>>(std::move(handler)), options);
  }
  /// One request, many responses: (const Request&, ServerWriter<Response>&, ServerContext&), likewise.
  template <class Request, class Response, ServerStreamFunction<Request, Response> Handler>
  void handle_server_stream(std::string_view method, Handler handler, MethodOptions options = {}) {
    add(method, std::make_unique<ServerStreamHandler<Request, Response, Handler>>(std::move(handler)), options);
  }
  /// Serves the methods of a generated service with an object of a class derived from its `Service`. All are registered
  /// or, when this throws as handle() does, none.
  template <GeneratedService Service>
  void add_service(std::shared_ptr<Service> service) {
    add_service(Service::define(service));
  }
  /// The object must outlive the server.
  template <GeneratedService Service>
  void add_service(Service& service) {
    add_service(std::shared_ptr<Service>(std::shared_ptr<Service>(), &service));
  }
  /// For an object of a class that derives from several: add_service<example::Echo>(object), ...
  template <class Generated, class Service>
  requires requires(std::shared_ptr<Service> service) { Generated::Service::define(service); }
  void add_service(std::shared_ptr<Service> service) { add_service(Generated::Service::define(service)); }
  template <class Generated, class Service>
  requires requires(std::shared_ptr<Service> service) { Generated::Service::define(service); }
  void add_service(Service& service) {
    add_service<Generated>(std::shared_ptr<Service>(std::shared_ptr<Service>(), &service));
  }
  void add_service(ServiceDefinition service);

  /// Registers a handler of the caller's own making.
  void add(std::string_view method, std::unique_ptr<MethodHandler> handler, const MethodOptions& options = {});
  /// Calls that are running go on. On other loops calls may still begin until their current batch of events ends; the
  /// handler is destroyed after its last call, once every loop has taken notice. False if there is no such method.
  bool remove(std::string_view method);
  bool has(std::string_view method) const;
  /// Sorted by name.
  std::vector<MethodInfo> methods() const;
  /// Rises with every change of methods().
  std::uint64_t methods_version() const;

  /// Opens an endpoint; connections are taken once the server has started. Returns it with the port the system chose.
  /// Throws StatusError: invalid_argument (the URI), already_exists (in use), failed_precondition (stopped), ...
  Endpoint listen(std::string_view uri);
  Result<Endpoint> try_listen(std::string_view uri);
  std::vector<Endpoint> endpoints() const;

  /// Serves on background threads, one per loop; returns at once. On the user's loop: serves while that is run.
  /// Does nothing if it is running. Errors: failed_precondition once stopped; resource_exhausted if the system gives no
  /// thread (it may be tried again).
  Status start();
  /// Serves until stop() or the end of shutdown(), the first loop (or the user's) on this thread.
  Status run();
  /// Takes no further connections and calls, lets what was accepted finish, then stops. What is not done after
  /// `timeout` is cancelled: deadline_exceeded, with how many calls were cut off. Blocks: not from a loop of the
  /// server's own (failed_precondition); a user's loop must be running on another thread. Ok at once if already
  /// stopped.
  Status shutdown(std::chrono::nanoseconds timeout);
  /// The same without blocking, and stop() then still has to be called. Any thread, any Asio completion token;
  /// void(Status), once: on a loop's thread when all connections are closed; in stop(), with aborted, if that comes
  /// first; before this returns, with what the first shutdown ended with (ok if there was none), when it is over or the
  /// server has been stopped. A handler with an executor of its own is posted to that. The server must not be
  /// destroyed by a handler that has none: it is still at work there (own loops: its destructor would wait for the
  /// thread that it is called on).
  template <class Token>
  requires(!std::same_as<std::remove_cvref_t<Token>, std::nullptr_t>) auto async_shutdown(
      std::chrono::nanoseconds timeout, Token&& token) {
    return asio::async_initiate<Token, void(Status)>(
        [this](auto handler, std::chrono::nanoseconds given) {
          const auto held = std::make_shared<call::Completion<decltype(handler)>>(std::move(handler));
          this->async_shutdown(given, std::function<void(Status)>([held](Status status) {
                                 std::move(*held).deliver(true, std::move(status));
                               }));
        },
        token, timeout);
  }
  /// The same with a function that may be null.
  void async_shutdown(std::chrono::nanoseconds timeout, std::function<void(Status)> done);
  /// Calls `callback` once, when the first shutdown begins: on the thread that begins it, before connections are told.
  /// At once if it has begun. For streams without an end of their own, which would hold the shutdown up. Must not
  /// throw.
  void on_shutdown(std::function<void()> callback);
  /// At once: closes connections (open calls end with unavailable at their callers), cancels handlers, waits for
  /// blocking handlers that are running, joins threads. From a handler of its own it only begins this, as shutdown() on
  /// a user's loop does; the destructor or another stop() completes it.
  void stop();

  /// Reads the certificate files of TlsOptions again; for connections from then on. The old ones stay in use on error.
  Status reload_tls();
  ServerStats stats() const;
  /// Counts calls by method and measures how they and the loops do, from now on; costs a look at the clock per call.
  /// Before or after start(); a second time it does nothing.
  void collect_statistics();
  /// Of methods and loops nothing is known without collect_statistics(). Waits for no loop.
  ServerStatistics statistics() const;

 private:
  std::shared_ptr<server::ServerCore> core_;
};

}  // namespace trunkline
