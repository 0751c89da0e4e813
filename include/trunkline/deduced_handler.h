// SPDX-License-Identifier: MIT
// DeducedFunction: a function whose own types say which messages a method has, in a form that Server knows.
#pragma once

#include <trunkline/function_signature.h>
#include <trunkline/result.h>
#include <trunkline/server_context.h>
#include <trunkline/unary_handler.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace trunkline::handlers {

/// The message in what a function returns: that of a Result, none in a Status, text for what is convertible to it.
template <class Value>
struct ReturnedMessage {
  using type = std::conditional_t<std::convertible_to<const Value&, std::string_view>, std::string, Value>;
};
template <class Value>
struct ReturnedMessage<Result<Value>> {
  using type = Value;
};
template <>
struct ReturnedMessage<Status> {
  using type = Empty;
};
template <>
struct ReturnedMessage<void> {
  using type = Empty;
};

/// Without the ServerContext& at its end.
template <class... Arguments>
constexpr bool ends_with_context(std::type_identity<std::tuple<Arguments...>>) {
  if constexpr (sizeof...(Arguments) == 0) {
    return false;
  } else {
    return std::same_as<std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>, ServerContext&>;
  }
}

/// Which messages a function is about: its first argument, if it has one but the context; its second, if it fills that;
/// else what it returns.
template <HasSignature Function>
struct DeducedMessages {
  using Arguments = typename SignatureOf<Function>::Arguments;
  using Returned = std::remove_cvref_t<typename SignatureOf<Function>::Returned>;
  static constexpr bool takes_context = ends_with_context(std::type_identity<Arguments>());
  static constexpr std::size_t messages = std::tuple_size_v<Arguments> - (takes_context ? 1 : 0);
  static constexpr bool fills = messages == 2;
  static_assert(messages <= 2, "a handler takes one message, perhaps another to fill, and perhaps ServerContext&; gather "
                               "several arguments in a structure");

  template <std::size_t index>
  static auto argument() {
    if constexpr (index < messages) {
      return std::type_identity<std::remove_cvref_t<std::tuple_element_t<index, Arguments>>>();
    } else {
      return std::type_identity<Empty>();
    }
  }
  using Request = typename decltype(argument<0>())::type;
  using Response = typename std::conditional_t<fills, decltype(argument<1>()),
                                               ReturnedMessage<typename Awaited<Returned>::type>>::type;
};

template <class T>
inline constexpr bool is_message = true;
template <class T>
requires(MessageTraits<T>::is_custom && !plain::HasOwnCodec<T>) inline constexpr bool is_message<T> = false;

template <HasSignature Function>
class DeducedFunction {
  using Deduced = DeducedMessages<Function>;
  using Returned = typename Deduced::Returned;
  using Value = typename Awaited<Returned>::type;

 public:
  using Request = typename Deduced::Request;
  using Response = typename Deduced::Response;
  static_assert(is_message<Request>, "what the handler takes is no message: see PlainType for which types are");
  static_assert(is_message<Response>, "what the handler returns is no message: see PlainType for which types are");

  explicit DeducedFunction(Function function) : function_(std::move(function)) {}

  auto operator()(const Request& request, Response& response, ServerContext& context) requires(Deduced::fills) {
    return call(context, request, response);
  }
  auto operator()(const Request& request, ServerContext& context) requires(!Deduced::fills) {
    if constexpr (Deduced::messages == 1) {
      return finish([&]() -> decltype(auto) { return call(context, request); });
    } else {
      return finish([&]() -> decltype(auto) { return call(context); });
    }
  }

 private:
  /// What Server is given: Status, Result<Response> or Response.
  using Message = typename ReturnedMessage<Value>::type;
  using Outcome = std::conditional_t<
      std::is_void_v<Value>, Status,
      std::conditional_t<std::same_as<Value, Status> || std::same_as<Value, Result<Message>>, Value, Message>>;

  template <class... Messages>
  decltype(auto) call(ServerContext& context, Messages&... messages) {
    if constexpr (Deduced::takes_context) {
      return std::invoke(function_, messages..., context);
    } else {
      return std::invoke(function_, messages...);
    }
  }
  template <class Run>
  static auto finish(Run run) {
    if constexpr (Awaited<Returned>::is_awaitable) {
      return await(run());
    } else if constexpr (Awaited<Returned>::is_blocking) {
      return run();
    } else if constexpr (std::is_void_v<Value>) {
      run();
      return Status::ok();
    } else {
      return Outcome(run());
    }
  }
  template <class Running>
  static asio::awaitable<Outcome> await(Running running) {
    if constexpr (std::is_void_v<Value>) {
      co_await std::move(running);
      co_return Status::ok();
    } else {
      co_return Outcome(co_await std::move(running));
    }
  }

  Function function_;
};

}  // namespace trunkline::handlers
