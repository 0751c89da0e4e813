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

/// Constant once registered, except for the count of its calls.
struct Method {
  std::string name;
  std::unique_ptr<MethodHandler> handler;
  /// Calls with a permit; counted only if options.max_concurrent_calls is set. Admission changes it.
  std::atomic<std::size_t> open_calls{0};
  /// Stands here so that the members that each call reads share a cache line.
  MethodOptions options;
  std::string service_description{};

  MethodInfo info() const {
    const MethodShape& shape = handler->shape();
    return {name,          shape.kind,     shape.request_name,  shape.response_name, options.idempotent,
            shape.request, shape.response, options.description, service_description};
  }
};

}  // namespace trunkline::server
