// SPDX-License-Identifier: MIT
// ServiceDefinition: methods that are served together; what generated services are made of.
#pragma once

#include <trunkline/method_handler.h>
#include <trunkline/stream_handler.h>
#include <trunkline/unary_handler.h>

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline {

namespace handlers {

/// A member function, static ones included, together with its object.
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

/// The handler of a method of this kind; null, and no handler to compile, if the function cannot serve it.
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

}  // namespace handlers

/// What generated code says of one method; it may also have a `description`, see MethodOptions. `kind` and the two
/// types say which forms its handler may have, see Server.
template <class Description>
concept MethodDescription = requires {
  typename Description::Request;
  typename Description::Response;
  { Description::name } -> std::convertible_to<std::string_view>;
  { Description::kind } -> std::convertible_to<MethodKind>;
  { Description::is_idempotent } -> std::convertible_to<bool>;
};

/// The methods of one service, to be given to Server::add_service().
class ServiceDefinition {
 public:
  struct Entry {
    std::string method;
    std::unique_ptr<MethodHandler> handler;
    MethodOptions options;
  };

  TRUNKLINE_API ServiceDefinition& add(std::string_view method, std::unique_ptr<MethodHandler> handler,
                                       MethodOptions options = {});

  /// Serves a method with a member function, in any form that Server accepts for its kind: as a plain function, a
  /// coroutine, or a blocking one (Blocking<Status>, ...). It is idempotent if the description or the options say so;
  /// a Described::description, if there is one, is the method's where the options have none.
  template <MethodDescription Described, class Service, class Member>
  ServiceDefinition& add(const std::shared_ptr<Service>& service, Member member, MethodOptions options = {}) {
    using Request = typename Described::Request;
    using Response = typename Described::Response;
    using Function = handlers::BoundMember<Service, Member>;
    auto handler = handlers::make_handler<Described::kind, Request, Response>(Function{service, member});
    options.idempotent = options.idempotent || Described::is_idempotent;
    if constexpr (requires { Described::description; }) {
      if (options.description.empty()) options.description = Described::description;
    }
    return add(Described::name, std::move(handler), std::move(options));
  }

  /// What the service is for, as MethodOptions::description is for a method: the comment of the service that the
  /// methods are of.
  TRUNKLINE_API ServiceDefinition& describe(std::string_view description);
  const std::string& description() const noexcept { return description_; }

  /// Of a method that has been added, to change them before the service is. Throws std::invalid_argument for another.
  TRUNKLINE_API MethodOptions& options_of(std::string_view method);

  std::vector<Entry> take() && { return std::move(entries_); }

 private:
  std::vector<Entry> entries_;
  std::string description_;
};

/// An object whose class derives from a generated service.
template <class Service>
concept GeneratedService = requires(std::shared_ptr<Service> service) {
  { Service::define(service) } -> std::same_as<ServiceDefinition>;
};

}  // namespace trunkline
