// SPDX-License-Identifier: MIT
// Method: one registered method, shared by all loops and by its open calls.
#pragma once

#include <trunkline/method_handler.h>
#include <trunkline/method_options.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

namespace trunkline::server {

/// A method that is constant once it is registered, except for the count of its calls.
struct RegisteredMethod {
  std::string name;
  std::unique_ptr<MethodHandler> handler;
  /// The number of calls with a permit. It counts only if options.max_concurrent_calls is set. Admission changes it.
  std::atomic<std::size_t> open_calls{0};
  /// The options stand here so that the members that each call reads share a cache line.
  MethodOptions options;
  std::string service_description{};
  /// True if it serves a route: name is the method of HTTP, a space and the path. Only requests of HTTP reach it.
  bool is_route = false;
  /// True if its calls are background calls, as session::SessionOwner::background_calls() counts them.
  bool is_background = false;

  MethodInfo info() const {
    const MethodShape& shape = handler->shape();
    return {.name = name,
            .kind = shape.kind,
            .request_type = shape.request_name,
            .response_type = shape.response_name,
            .idempotent = options.idempotent || options.no_side_effects,
            .no_side_effects = options.no_side_effects,
            .is_private = options.is_private,
            .request = shape.request,
            .response = shape.response,
            .description = options.description,
            .service_description = service_description};
  }
};

}  // namespace trunkline::server
