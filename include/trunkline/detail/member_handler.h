// SPDX-License-Identifier: MIT
// BoundMember and make_handler(): a member function as the handler of a method.
#pragma once

#include <trunkline/detail/stream_handler.h>
#include <trunkline/detail/unary_handler.h>
#include <trunkline/method_handler.h>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

/// A member function, possibly static, bound to its object.
template <class Service, class Member>
struct BoundMember {
  template <class... Arguments>
  requires(std::is_member_function_pointer_v<Member> ? std::is_invocable_v<Member, Service&, Arguments...>
                                                     : std::is_invocable_v<Member, Arguments...>) auto
  operator()(Arguments&&... arguments) const {
    if constexpr (std::is_member_function_pointer_v<Member>) {
      return std::invoke(member, *service, std::forward<Arguments>(arguments)...);
    } else {
      return std::invoke(member, std::forward<Arguments>(arguments)...);
    }
  }
  std::shared_ptr<Service> service;
  Member member;
};

/// Returns a handler for a method of this kind. If the function cannot serve it, a static_assert says so, and no
/// handler is compiled.
template <MethodKind kind, class Request, class Response, class Function>
std::unique_ptr<MethodHandler> make_handler(Function function) {
  if constexpr (kind == MethodKind::unary) {
    constexpr bool fits = UnaryFunction<Function, Request, Response>;
    static_assert(fits,
                  "this member function cannot serve its unary method: it takes (const Request&, Response&, "
                  "ServerContext&) and returns Status, or (const Request&, ServerContext&) and returns Response "
                  "or Result<Response>; or asio::awaitable or trunkline::Blocking of these");
    if constexpr (fits) {
      return std::make_unique<UnaryHandler<Request, Response, Function>>(std::move(function), false);
    }
  } else if constexpr (kind == MethodKind::client_stream) {
    constexpr bool fits = ClientStreamFunction<Function, Request, Response>;
    static_assert(fits,
                  "this member function cannot serve its client stream: it takes (ServerReader<Request>&, "
                  "Response&, ServerContext&) and returns asio::awaitable<Status>, or Status and then may block");
    if constexpr (fits) {
      return std::make_unique<ClientStreamHandler<Request, Response, Function>>(std::move(function));
    }
  } else if constexpr (kind == MethodKind::server_stream) {
    constexpr bool fits = ServerStreamFunction<Function, Request, Response>;
    static_assert(fits,
                  "this member function cannot serve its server stream: it takes (const Request&, "
                  "ServerWriter<Response>&, ServerContext&) and returns asio::awaitable<Status>, or Status and "
                  "then may block");
    if constexpr (fits) {
      return std::make_unique<ServerStreamHandler<Request, Response, Function>>(std::move(function));
    }
  } else {
    constexpr bool fits = StreamFunction<Function, Request, Response>;
    static_assert(fits,
                  "this member function cannot serve its stream: it takes (ServerStream<Request, Response>&, "
                  "ServerContext&) and returns asio::awaitable<Status>, or Status and then may block");
    if constexpr (fits) return std::make_unique<StreamHandler<Request, Response, Function>>(std::move(function));
  }
  return nullptr;
}

}  // namespace trunkline::detail
