// SPDX-License-Identifier: MIT
// Method: one registered method, shared by all loops and by the calls that run.
#pragma once

#include <trunkline/method_handler.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

namespace trunkline::server {

struct Method {
  std::string name;
  std::unique_ptr<MethodHandler> handler;
  /// Calls accepted and not yet over; kept only if options.max_concurrent_calls is set.
  std::atomic<std::size_t> open_calls{0};
  MethodOptions options;  // what calls read of it is on the same cache line as the rest
  std::string service_description{};

  MethodInfo info() const {
    const MethodShape& shape = handler->shape();
    return {name,          shape.kind,     shape.request_name,  shape.response_name, options.idempotent,
            shape.request, shape.response, options.description, service_description};
  }
};

}  // namespace trunkline::server
