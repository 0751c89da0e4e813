// SPDX-License-Identifier: MIT
// RouteHandler: a user's function from HttpRequest to HttpResponse, as a unary method of bytes.
#pragma once

#include <trunkline/detail/unary_handler.h>
#include <trunkline/http_request.h>
#include <trunkline/http_response.h>
#include <trunkline/result.h>
#include <trunkline/server_context.h>
#include <trunkline/slice.h>

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace trunkline::detail {

/// Hands the response to the runtime, with its status and headers as leading metadata.
TRUNKLINE_API Status store_response(HttpResponse&& response, Slice& body, ServerContext& context);
inline Status store_response(Result<HttpResponse>&& response, Slice& body, ServerContext& context) {
  if (!response.is_ok()) return std::move(response).status();
  return store_response(*std::move(response), body, context);
}

template <class Function>
auto route_outcome() {
  if constexpr (std::is_invocable_v<Function&, const HttpRequest&, ServerContext&>) {
    return std::type_identity<std::invoke_result_t<Function&, const HttpRequest&, ServerContext&>>{};
  } else if constexpr (std::is_invocable_v<Function&, const HttpRequest&>) {
    return std::type_identity<std::invoke_result_t<Function&, const HttpRequest&>>{};
  } else {
    return std::type_identity<void>{};
  }
}
template <class Function>
using RouteOutcome = typename decltype(route_outcome<Function>())::type;

/// A handler that Server::route() accepts; the forms are listed there.
template <class Function>
concept RouteFunction = std::same_as<typename Awaited<RouteOutcome<Function>>::type, HttpResponse> ||
    std::same_as<typename Awaited<RouteOutcome<Function>>::type, Result<HttpResponse>>;

template <RouteFunction Function>
class RouteHandler {
  using Returned = Awaited<RouteOutcome<Function>>;

 public:
  explicit RouteHandler(Function function) : function_(std::move(function)) {}

  auto operator()(const Slice& request, Slice& response, ServerContext& context) {
    if constexpr (Returned::is_awaitable) {
      return await(HttpRequest(context.method(), context.metadata(), request), response, context);
    } else {
      const HttpRequest given(context.method(), context.metadata(), request);
      Status status = store_response(value_of(call(given, context)), response, context);
      if constexpr (Returned::is_blocking) {
        return Blocking<Status>(std::move(status));
      } else {
        return status;
      }
    }
  }

 private:
  decltype(auto) call(const HttpRequest& request, ServerContext& context) {
    if constexpr (std::is_invocable_v<Function&, const HttpRequest&, ServerContext&>) {
      return std::invoke(function_, request, context);
    } else {
      return std::invoke(function_, request);
    }
  }
  asio::awaitable<Status> await(HttpRequest request, Slice& response, ServerContext& context) {
    co_return store_response(co_await call(request, context), response, context);
  }

  Function function_;
};

}  // namespace trunkline::detail
