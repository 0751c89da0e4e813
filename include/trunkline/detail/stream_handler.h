// SPDX-License-Identifier: MIT
// AnyStreamHandler and its kinds, StreamHandler, ClientStreamHandler and ServerStreamHandler: a user's function as the
// handler of a streaming method.
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

/// The base of the handlers of streaming methods. A function that returns an awaitable is a coroutine, and any other
/// one is assumed to block. `Derived` has serve(core, context), which returns the Status, and serve_awaiting(core,
/// context), which is a coroutine of it; only the one that is needed is compiled.
template <class Derived, class Request, class Response, class Function, class Value, MethodKind kind>
class AnyStreamHandler : public MethodHandler {
 public:
  explicit AnyStreamHandler(Function function)
      : MethodHandler(
            method_shape<Request, Response>(kind, awaits ? Execution::coroutine : Execution::blocking, false)),
        function_(std::move(function)) {}

  Status run_stream(call::ServerStreamCore& core, ServerContext& context) override {
    if constexpr (awaits) {
      return MethodHandler::run_stream(core, context);
    } else {
      return static_cast<Derived&>(*this).serve(core, context);
    }
  }
  asio::awaitable<Status> run_stream_async(call::ServerStreamCore& core, ServerContext& context) override {
    if constexpr (awaits) {
      return static_cast<Derived&>(*this).serve_awaiting(core, context);
    } else {
      return MethodHandler::run_stream_async(core, context);
    }
  }

 protected:
  template <class... Arguments>
  Value apply(Arguments&... arguments) {
    return std::invoke(function_, arguments...);
  }

 private:
  static constexpr bool awaits = Awaited<Value>::is_awaitable;

  Function function_;
};

/// Returns the one request of a server stream. If the client sent none, returns an empty one where the type allows it.
template <class Request>
Result<Request> single_request(Result<std::optional<Request>> read) {
  if (!read.is_ok()) return std::move(read).status();
  if (read->has_value()) return std::move(**read);
  const MessageKind kind = MessageTraits<Request>::type().kind;
  if (kind == MessageKind::none || kind == MessageKind::bytes) return Request{};
  return Status(StatusCode::unimplemented,
                "read request: the call has no message, expected " + message_type_name<Request>());
}

/// Checks the read after the one request of a server stream. The handler begins when the client has ended its side, so
/// that a second request is not lost silently.
template <class Request>
Status no_further_request(const Result<std::optional<Request>>& read) {
  if (!read.is_ok()) return read.status();
  if (!read->has_value()) return {};
  return {StatusCode::unimplemented, "read request: the call has several messages, the method takes one"};
}

/// A function from (ServerStream<Request, Response>&, ServerContext&) to awaitable<Status>, Blocking<Status> or Status.
template <class Function, class Request, class Response>
concept StreamFunction = std::is_invocable_v < Function&,
        ServerStream<Request, Response>
&, ServerContext& >
       &&std::same_as<AwaitedValue<std::invoke_result_t<Function&, ServerStream<Request, Response>&, ServerContext&>>,
                      Status>;

template <class Function, class Request, class Response>
using StreamValue = std::invoke_result_t<Function&, ServerStream<Request, Response>&, ServerContext&>;

template <class Request, class Response, StreamFunction<Request, Response> Function>
class StreamHandler final
    : public AnyStreamHandler<StreamHandler<Request, Response, Function>, Request, Response, Function,
                              StreamValue<Function, Request, Response>, MethodKind::bidirectional> {
 public:
  explicit StreamHandler(Function function) : StreamHandler::AnyStreamHandler(std::move(function)) {}

  Status serve(call::ServerStreamCore& core, ServerContext& context) {
    ServerStream<Request, Response> stream(core);
    return value_of(this->apply(stream, context));
  }
  asio::awaitable<Status> serve_awaiting(call::ServerStreamCore& core, ServerContext& context) {
    ServerStream<Request, Response> stream(core);
    co_return co_await this->apply(stream, context);
  }
};

/// Takes (ServerReader<Request>&, Response&, ServerContext&); returns awaitable<Status>, Blocking<Status> or Status.
template <class Function, class Request, class Response>
concept ClientStreamFunction = std::is_invocable_v < Function&,
        ServerReader<Request>
&, Response&,
    ServerContext& >
        &&std::same_as<AwaitedValue<std::invoke_result_t<Function&, ServerReader<Request>&, Response&, ServerContext&>>,
                       Status>;

template <class Function, class Request, class Response>
using ClientStreamValue = std::invoke_result_t<Function&, ServerReader<Request>&, Response&, ServerContext&>;

template <class Request, class Response, ClientStreamFunction<Request, Response> Function>
class ClientStreamHandler final
    : public AnyStreamHandler<ClientStreamHandler<Request, Response, Function>, Request, Response, Function,
                              ClientStreamValue<Function, Request, Response>, MethodKind::client_stream> {
  static constexpr bool responds = !std::same_as<Response, Empty>;

 public:
  explicit ClientStreamHandler(Function function) : ClientStreamHandler::AnyStreamHandler(std::move(function)) {}

  Status serve(call::ServerStreamCore& core, ServerContext& context) {
    ServerReader<Request> reader(core);
    Response response{};
    Status status = value_of(this->apply(reader, response, context));
    if (!status.is_ok() || !responds) return status;
    return ServerWriter<Response>(core).write(response);
  }
  asio::awaitable<Status> serve_awaiting(call::ServerStreamCore& core, ServerContext& context) {
    ServerReader<Request> reader(core);
    Response response{};
    Status status = co_await this->apply(reader, response, context);
    if (!status.is_ok() || !responds) co_return status;
    ServerWriter<Response> writer(core);
    co_return co_await writer.async_write(response, asio::use_awaitable);
  }
};

/// Takes (const Request&, ServerWriter<Response>&, ServerContext&); returns the same three types as a StreamFunction.
template <class Function, class Request, class Response>
concept ServerStreamFunction = std::is_invocable_v < Function&,
        const Request&, ServerWriter<Response>
&, ServerContext& >
       &&std::same_as<
           AwaitedValue<std::invoke_result_t<Function&, const Request&, ServerWriter<Response>&, ServerContext&>>,
           Status>;

template <class Function, class Request, class Response>
using ServerStreamValue = std::invoke_result_t<Function&, const Request&, ServerWriter<Response>&, ServerContext&>;

template <class Request, class Response, ServerStreamFunction<Request, Response> Function>
class ServerStreamHandler final
    : public AnyStreamHandler<ServerStreamHandler<Request, Response, Function>, Request, Response, Function,
                              ServerStreamValue<Function, Request, Response>, MethodKind::server_stream> {
 public:
  explicit ServerStreamHandler(Function function) : ServerStreamHandler::AnyStreamHandler(std::move(function)) {}

  Status serve(call::ServerStreamCore& core, ServerContext& context) {
    const Result<Request> request = single_request(ServerReader<Request>(core).read());
    if (!request.is_ok()) return request.status();
    if (Status status = no_further_request(ServerReader<Request>(core).read()); !status.is_ok()) return status;
    ServerWriter<Response> writer(core);
    return value_of(this->apply(*request, writer, context));
  }
  asio::awaitable<Status> serve_awaiting(call::ServerStreamCore& core, ServerContext& context) {
    ServerReader<Request> reader(core);
    const Result<Request> request = single_request(co_await reader.async_read(asio::use_awaitable));
    if (!request.is_ok()) co_return request.status();
    if (Status status = no_further_request(co_await reader.async_read(asio::use_awaitable)); !status.is_ok()) {
      co_return status;
    }
    ServerWriter<Response> writer(core);
    co_return co_await this->apply(*request, writer, context);
  }
};

}  // namespace trunkline::detail
