// SPDX-License-Identifier: MIT
// MethodRegistry: the methods of a server. Any thread changes them; loops read snapshots.
#pragma once

#include "server/registered_method.h"

#include <trunkline/service.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trunkline::server {

/// Allows a map keyed by std::string to be searched by std::string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

/// Holds the methods of a server. It is thread-safe.
class MethodRegistry {
 public:
  /// The methods by name. The fallback, if there is one, has the empty name, which no method has.
  using Methods = std::unordered_map<std::string, std::shared_ptr<RegisteredMethod>, TextHash, std::equal_to<>>;
  using Snapshot = std::shared_ptr<const Methods>;

  /// Registers all methods of the service, or none. Throws std::invalid_argument for a null handler, for an invalid
  /// name or one that is registered already, for a description that is not text, and for options.blocking with a
  /// handler that does not run on the workers.
  void add(ServiceDefinition service);
  void add(std::string_view name, std::unique_ptr<MethodHandler> handler, const MethodOptions& options);
  /// Adds a route. Throws std::invalid_argument for a path that check_route() refuses, for a route that exists, and for
  /// a handler that is not unary, from bytes to bytes; otherwise it throws as add() does.
  void add_route(std::string_view http_method, std::string_view path, std::unique_ptr<MethodHandler> handler,
                 const MethodOptions& options);
  /// Adds a handler for every name that is not registered. Throws std::invalid_argument as add() does.
  void add_fallback(std::unique_ptr<MethodHandler> handler, const MethodOptions& options);
  /// Removes a method. Returns false if there is no such method.
  bool remove(std::string_view name);
  bool has(std::string_view name) const;
  /// Returns the methods sorted by name, without the fallback and without routes.
  std::vector<MethodInfo> list() const;

  /// Returns a number that rises with every change. A snapshot taken after reading it is at least that new.
  std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  Snapshot snapshot() const;

 private:
  void add_all(std::vector<std::shared_ptr<RegisteredMethod>> made);

  /// Guards the members below, except that version_ is read without it.
  mutable std::mutex mutex_;
  Methods methods_;
  /// A copy of methods_; null after a change, until the next snapshot().
  mutable Snapshot snapshot_;
  std::atomic<std::uint64_t> version_{1};
};

}  // namespace trunkline::server
