// SPDX-License-Identifier: MIT
// StreamHandler, ClientStreamHandler and ServerStreamHandler: a user's function as the handler of a streaming method.
#pragma once

#include <trunkline/detail/method_shape.h>
#include <trunkline/detail/unary_handler.h>
#include <trunkline/method_handler.h>
#include <trunkline/result.h>
#include <trunkline/server_stream.h>

#include <asio/use_awaitable.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

template <class Value>
using AwaitedValue = typename Awaited<Value>::type;

/// The shape of a streaming method. A function that returns no awaitable is assumed to block.
template <class Request, class Response, class Value>
MethodShape stream_shape(MethodKind kind) {
  constexpr Execution execution = Awaited<Value>::is_awaitable ? Execution::coroutine : Execution::blocking;
  return method_shape<Request, Response>(kind, execution, false);
}

/// The one request of a server stream. Where the client sent no message, an empty one if the type allows it.
template <class Request>
Result<Request> single_request(Result<std::optional<Request>> read) {
  if (!read.is_ok()) return std::move(read).status();
  if (read->has_value()) return std::move(**read);
  const MessageKind kind = MessageTraits<Request>::type().kind;
  if (kind == MessageKind::none || kind == MessageKind::bytes) return Request{};
  return Status(StatusCode::invalid_argument,
                "read request: the call has no message, expected " + message_type_name<Request>());
}

/// awaitable<Status>, Blocking<Status> or Status (ServerStream<Request, Response>&, ServerContext&)
template <class Function, class Request, class Response>
concept StreamFunction = std::is_invocable_v < Function&,
        ServerStream<Request, Response>
&, ServerContext& >
       &&std::same_as<AwaitedValue<std::invoke_result_t<Function&, ServerStream<Request, Response>&, ServerContext&>>,
                      Status>;

template <class Request, class Response, StreamFunction<Request, Response> Function>
class StreamHandler final : public MethodHandler {
  using Stream = ServerStream<Request, Response>;
  using Value = std::invoke_result_t<Function&, Stream&, ServerContext&>;
  static constexpr bool awaits = Awaited<Value>::is_awaitable;

 public:
  explicit StreamHandler(Function function)
      : MethodHandler(stream_shape<Request, Response, Value>(MethodKind::bidirectional)),
        function_(std::move(function)) {}

  Status run_stream(call::ServerStreamCore& core, ServerContext& context) override {
    if constexpr (awaits) {
      return MethodHandler::run_stream(core, context);
    } else {
      Stream stream(core);
      return value_of(std::invoke(function_, stream, context));
    }
  }
  asio::awaitable<Status> run_stream_async(call::ServerStreamCore& core, ServerContext& context) override {
    if constexpr (awaits) {
      return run_awaiting(core, context);
    } else {
      return MethodHandler::run_stream_async(core, context);
    }
  }

 private:
  // A separate function, so that no coroutine is compiled for other kinds of handlers.
  asio::awaitable<Status> run_awaiting(call::ServerStreamCore& core, ServerContext& context) {
    Stream stream(core);
    co_return co_await std::invoke(function_, stream, context);
  }

  Function function_;
};

/// awaitable<Status>, Blocking<Status> or Status (ServerReader<Request>&, Response&, ServerContext&)
template <class Function, class Request, class Response>
concept ClientStreamFunction = std::is_invocable_v < Function&,
        ServerReader<Request>
&, Response&,
    ServerContext& >
        &&std::same_as<AwaitedValue<std::invoke_result_t<Function&, ServerReader<Request>&, Response&, ServerContext&>>,
                       Status>;

template <class Request, class Response, ClientStreamFunction<Request, Response> Function>
class ClientStreamHandler final : public MethodHandler {
  using Reader = ServerReader<Request>;
  using Value = std::invoke_result_t<Function&, Reader&, Response&, ServerContext&>;
  static constexpr bool awaits = Awaited<Value>::is_awaitable;
  static constexpr bool responds = !std::same_as<Response, Empty>;

 public:
  explicit ClientStreamHandler(Function function)
      : MethodHandler(stream_shape<Request, Response, Value>(MethodKind::client_stream)),
        function_(std::move(function)) {}

  Status run_stream(call::ServerStreamCore& core, ServerContext& context) override {
    if constexpr (awaits) {
      return MethodHandler::run_stream(core, context);
    } else {
      Reader reader(core);
      Response response{};
      Status status = value_of(std::invoke(function_, reader, response, context));
      if (!status.is_ok() || !responds) return status;
      return ServerWriter<Response>(core).write(response);
    }
  }
  asio::awaitable<Status> run_stream_async(call::ServerStreamCore& core, ServerContext& context) override {
    if constexpr (awaits) {
      return run_awaiting(core, context);
    } else {
      return MethodHandler::run_stream_async(core, context);
    }
  }

 private:
  asio::awaitable<Status> run_awaiting(call::ServerStreamCore& core, ServerContext& context) {
    Reader reader(core);
    Response response{};
    Status status = co_await std::invoke(function_, reader, response, context);
    if (!status.is_ok() || !responds) co_return status;
    ServerWriter<Response> writer(core);
    co_return co_await writer.async_write(response, asio::use_awaitable);
  }

  Function function_;
};

/// awaitable<Status>, Blocking<Status> or Status (const Request&, ServerWriter<Response>&, ServerContext&)
template <class Function, class Request, class Response>
concept ServerStreamFunction = std::is_invocable_v < Function&,
        const Request&, ServerWriter<Response>
&, ServerContext& >
       &&std::same_as<
           AwaitedValue<std::invoke_result_t<Function&, const Request&, ServerWriter<Response>&, ServerContext&>>,
           Status>;

template <class Request, class Response, ServerStreamFunction<Request, Response> Function>
class ServerStreamHandler final : public MethodHandler {
  using Writer = ServerWriter<Response>;
  using Value = std::invoke_result_t<Function&, const Request&, Writer&, ServerContext&>;
  static constexpr bool awaits = Awaited<Value>::is_awaitable;

 public:
  explicit ServerStreamHandler(Function function)
      : MethodHandler(stream_shape<Request, Response, Value>(MethodKind::server_stream)),
        function_(std::move(function)) {}

  Status run_stream(call::ServerStreamCore& core, ServerContext& context) override {
    if constexpr (awaits) {
      return MethodHandler::run_stream(core, context);
    } else {
      const Result<Request> request = single_request(ServerReader<Request>(core).read());
      if (!request.is_ok()) return request.status();
      Writer writer(core);
      return value_of(std::invoke(function_, *request, writer, context));
    }
  }
  asio::awaitable<Status> run_stream_async(call::ServerStreamCore& core, ServerContext& context) override {
    if constexpr (awaits) {
      return run_awaiting(core, context);
    } else {
      return MethodHandler::run_stream_async(core, context);
    }
  }

 private:
  asio::awaitable<Status> run_awaiting(call::ServerStreamCore& core, ServerContext& context) {
    ServerReader<Request> reader(core);
    const Result<Request> request = single_request(co_await reader.async_read(asio::use_awaitable));
    if (!request.is_ok()) co_return request.status();
    Writer writer(core);
    co_return co_await std::invoke(function_, *request, writer, context);
  }

  Function function_;
};

}  // namespace trunkline::detail
