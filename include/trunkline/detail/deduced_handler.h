// SPDX-License-Identifier: MIT
// Deduced: a handler whose message types are taken from its signature.
#pragma once

#include <trunkline/blocking.h>
#include <trunkline/message.h>
#include <trunkline/result.h>
#include <trunkline/server_context.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

/// The type of a function, without the class that it is a member of.
template <class T>
struct Signature;
template <class R, class... A>
struct Signature<R(A...)> {
  using Returned = R;
  using Function = R(A...);
};
template <class R, class... A>
struct Signature<R (*)(A...)> : Signature<R(A...)> {};
template <class R, class... A>
struct Signature<R (*)(A...) noexcept> : Signature<R(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...)> : Signature<R(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> : Signature<R(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) noexcept> : Signature<R(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const noexcept> : Signature<R(A...)> {};
template <class T>
requires requires { &T::operator(); }
struct Signature<T> : Signature<decltype(&T::operator())> {};

/// The message type that a return type stands for.
template <class T>
struct ReturnedMessage {
  using type = T;
};
template <class T>
struct ReturnedMessage<Result<T>> : ReturnedMessage<T> {};
template <>
struct ReturnedMessage<Status> {
  using type = Empty;
};
template <>
struct ReturnedMessage<void> {
  using type = Empty;
};
template <class T>
struct ReturnedMessage<Blocking<T>> : ReturnedMessage<T> {};
template <class T, class Executor>
struct ReturnedMessage<asio::awaitable<T, Executor>> : ReturnedMessage<T> {};

/// The message types of each form of function. `is_whole`: Server accepts the function as it is.
template <class Function>
struct Form;
template <class R>
struct Form<R()> {
  using Request = Empty;
  using Response = typename ReturnedMessage<R>::type;
  static constexpr bool is_whole = false;
};
template <class R>
struct Form<R(ServerContext&)> : Form<R()> {};
template <class R, class Argument>
struct Form<R(Argument)> {
  using Request = std::remove_cvref_t<Argument>;
  using Response = typename ReturnedMessage<R>::type;
  static constexpr bool is_whole = false;
};
template <class R, class Argument>
struct Form<R(Argument, ServerContext&)> : Form<R(Argument)> {};
template <class R, class Argument, class Filled>
struct Form<R(Argument, Filled&, ServerContext&)> {
  using Request = std::remove_cvref_t<Argument>;
  using Response = Filled;
  static constexpr bool is_whole = true;
};

template <class Function>
using FormOf = Form<typename Signature<Function>::Function>;

/// Calls a function of any form as (const Request&, ServerContext&).
template <class Function, class Request>
struct Deduced {
  auto operator()(const Request& request, ServerContext& context) {
    using Returned = typename Signature<Function>::Returned;
    if constexpr (std::is_void_v<Returned>) {
      call(request, context);
      return Status();
    } else if constexpr (std::is_same_v<Returned, asio::awaitable<void>>) {
      return finish(call(request, context));
    } else {
      return call(request, context);
    }
  }

  Function function;

 private:
  static asio::awaitable<Status> finish(asio::awaitable<void> running) {
    co_await std::move(running);
    co_return Status();
  }
  decltype(auto) call(const Request& request, ServerContext& context) {
    if constexpr (std::is_invocable_v<Function&, const Request&, ServerContext&>) {
      return std::invoke(function, request, context);
    } else if constexpr (std::is_invocable_v<Function&, const Request&>) {
      return std::invoke(function, request);
    } else if constexpr (std::is_invocable_v<Function&, ServerContext&>) {
      return std::invoke(function, context);
    } else {
      return std::invoke(function);
    }
  }
};

/// A function whose signature determines its message types. It is neither overloaded nor a template.
template <class Function>
concept DeducibleFunction = requires {
  typename FormOf<Function>::Request;
};

template <class Argument>
inline constexpr bool is_request = !std::is_reference_v<Argument> || std::is_const_v<std::remove_reference_t<Argument>>;

template <class Function>
struct Argument {
  static constexpr bool fits = true;
};
template <class R, class First, class... Others>
struct Argument<R(First, Others...)> {
  static constexpr bool fits = is_request<First> || std::is_same_v<First, ServerContext&>;
};

template <class Returned>
inline constexpr bool is_awaited = true;
template <class T, class Executor>
inline constexpr bool is_awaited<asio::awaitable<T, Executor>> = std::is_same_v<Executor, asio::any_io_executor>;

/// Returns false for a function that cannot serve; a static_assert says why.
template <DeducibleFunction Function>
constexpr bool can_serve() {
  using Known = Signature<Function>;
  constexpr bool takes = Argument<typename Known::Function>::fits;
  static_assert(takes, "a handler takes its request as const Request& or by value, not by another reference");
  constexpr bool is_known = is_awaited<typename Known::Returned>;
  static_assert(is_known,
                "a handler's coroutine returns asio::awaitable<T>, with the executor that this has by default");
  return takes && is_known;
}

}  // namespace trunkline::detail
