// SPDX-License-Identifier: MIT
// MethodOptions: how a server serves one method.
#pragma once

#include <cstddef>
#include <string>

namespace trunkline {

/// The settings of one method of a server.
struct MethodOptions {
  /// The number of calls of this method that may run at a time, over all connections; more are refused with
  /// resource_exhausted; 0: no limit.
  std::size_t max_concurrent_calls = 0;
  /// If it is true, the handler runs on the worker pool, as with Server::handle_blocking(). Coroutines must not set it.
  bool blocking = false;
  /// The method may run more than once without harm. Listings of the methods show it; the server itself retries
  /// nothing.
  bool idempotent = false;
  /// The method changes nothing, so anybody on its way may repeat it, and HTTP calls it by GET. Such a method is
  /// idempotent as well.
  bool no_side_effects = false;
  /// The method, or the route, is for operations. Only clients of private endpoints reach it
  /// (Server::listen_private()); other clients get the answer for a method that does not exist.
  bool is_private = false;
  /// The purpose of the method, in UTF-8 without control characters except line feeds and tabs. Reflection reports it
  /// as the comment of the method.
  std::string description{};
};

}  // namespace trunkline
