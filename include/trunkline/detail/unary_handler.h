// SPDX-License-Identifier: MIT
// UnaryHandler: a user's function for one request and one response, in any of the accepted forms.
#pragma once

#include <trunkline/blocking.h>
#include <trunkline/detail/method_shape.h>
#include <trunkline/method_handler.h>
#include <trunkline/result.h>

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

/// The value that a handler returns, and where the handler runs.
template <class T>
struct Awaited {
  using type = T;
  static constexpr bool is_awaitable = false;
  static constexpr bool is_blocking = false;
};
template <class T, class Executor>
struct Awaited<asio::awaitable<T, Executor>> {
  using type = T;
  static constexpr bool is_awaitable = true;
  static constexpr bool is_blocking = false;
};
template <class T>
struct Awaited<Blocking<T>> {
  using type = T;
  static constexpr bool is_awaitable = false;
  static constexpr bool is_blocking = true;
};

/// Unwraps Blocking<T>; returns other values unchanged.
template <class T>
T value_of(T&& value) {
  return std::forward<T>(value);
}
template <class T>
T value_of(Blocking<T>&& value) {
  return std::move(value).take();
}

/// True if the handler can be called with (const Request&, Response&, ServerContext&).
template <class Handler, class Request, class Response>
inline constexpr bool takes_response = std::is_invocable_v<Handler&, const Request&, Response&, ServerContext&>;
/// True if the handler can be called with (const Request&, ServerContext&).
template <class Handler, class Request>
inline constexpr bool returns_response = std::is_invocable_v<Handler&, const Request&, ServerContext&>;

/// Returns the return type of a handler; void if it cannot be called with these messages.
template <class Handler, class Request, class Response>
auto outcome_of() {
  if constexpr (takes_response<Handler, Request, Response>) {
    return std::type_identity<std::invoke_result_t<Handler&, const Request&, Response&, ServerContext&>>{};
  } else if constexpr (returns_response<Handler, Request>) {
    return std::type_identity<std::invoke_result_t<Handler&, const Request&, ServerContext&>>{};
  } else {
    return std::type_identity<void>{};
  }
}
template <class Handler, class Request, class Response>
using Outcome = typename decltype(outcome_of<Handler, Request, Response>())::type;

template <class Handler, class Request, class Response>
constexpr bool is_unary_handler() {
  using Value = typename Awaited<Outcome<Handler, Request, Response>>::type;
  if constexpr (takes_response<Handler, Request, Response>) {
    return std::same_as<Value, Status>;
  } else {
    return std::same_as<Value, Response> || std::same_as<Value, Result<Response>> ||
           (std::same_as<Value, Status> && std::same_as<Response, Empty>);
  }
}

template <class Response>
Status store(Response&& value, Response& response) {
  response = std::move(value);
  return {};
}
template <class Response>
Status store(Result<Response>&& result, Response& response) {
  if (!result.is_ok()) return std::move(result).status();
  response = *std::move(result);
  return {};
}
inline Status store(Status&& status, Empty&) { return std::move(status); }

template <class Request, class Response>
class TypedMessages final : public CallMessages {
 public:
  TypedMessages() { request = MutableMessageView::of(request_), response = MutableMessageView::of(response_); }
  const Request& typed_request() const noexcept { return request_; }
  Response& typed_response() noexcept { return response_; }

 private:
  Request request_{};
  Response response_{};
};

/// A handler that Server::handle() accepts; the forms are listed there.
template <class Handler, class Request, class Response>
concept UnaryFunction = is_unary_handler<Handler, Request, Response>();

template <class Request, class Response, UnaryFunction<Request, Response> Function>
class UnaryHandler final : public MethodHandler {
  using Returned = Awaited<Outcome<Function, Request, Response>>;
  static constexpr bool awaits = Returned::is_awaitable;
  static constexpr bool fills = takes_response<Function, Request, Response>;
  using Messages = TypedMessages<Request, Response>;

 public:
  /// `blocking` has no effect on coroutines; Server refuses the option for them.
  UnaryHandler(Function function, bool blocking)
      : MethodHandler(method_shape<Request, Response>(MethodKind::unary, execution(blocking), fills)),
        function_(std::move(function)) {}

  std::unique_ptr<CallMessages> make_messages() const override { return std::make_unique<Messages>(); }

  Status run(CallMessages& messages, ServerContext& context) override {
    if constexpr (!awaits) {
      auto& typed = static_cast<Messages&>(messages);
      if constexpr (fills) {
        return value_of(std::invoke(function_, typed.typed_request(), typed.typed_response(), context));
      } else {
        return store(value_of(std::invoke(function_, typed.typed_request(), context)), typed.typed_response());
      }
    } else {
      return MethodHandler::run(messages, context);
    }
  }

  asio::awaitable<Status> run_async(CallMessages& messages, ServerContext& context) override {
    if constexpr (awaits) {
      auto& typed = static_cast<Messages&>(messages);
      if constexpr (fills) {
        return std::invoke(function_, typed.typed_request(), typed.typed_response(), context);
      } else {
        return await_and_store(std::invoke(function_, typed.typed_request(), context), typed.typed_response());
      }
    } else {
      return MethodHandler::run_async(messages, context);
    }
  }

 private:
  template <class Value>
  static asio::awaitable<Status> await_and_store(asio::awaitable<Value> running, Response& response) {
    co_return store(co_await std::move(running), response);
  }

  static constexpr Execution execution(bool blocking) {
    if (awaits) return Execution::coroutine;
    return blocking || Returned::is_blocking ? Execution::blocking : Execution::plain;
  }

  Function function_;
};

}  // namespace trunkline::detail
