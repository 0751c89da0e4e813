// SPDX-License-Identifier: MIT
// MethodRegistry: the methods of a server, changed on any thread, read by loops through snapshots.
#pragma once

#include "server/method.h"

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

/// Lets maps keyed by std::string be searched by std::string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

/// Thread-safe.
class MethodRegistry {
 public:
  using Methods = std::unordered_map<std::string, std::shared_ptr<Method>, TextHash, std::equal_to<>>;
  using Snapshot = std::shared_ptr<const Methods>;

  /// All or none. Throws std::invalid_argument for a null handler, an invalid name or one that is registered already,
  /// a description that is not text, and for options.blocking with a handler that does not run on the workers.
  void add(ServiceDefinition service);
  void add(std::string_view name, std::unique_ptr<MethodHandler> handler, const MethodOptions& options);
  bool remove(std::string_view name);
  bool has(std::string_view name) const;
  std::vector<MethodInfo> list() const;

  /// Rises with every change. A snapshot taken after reading a version is at least that new.
  std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  Snapshot snapshot() const;

 private:
  mutable std::mutex mutex_;
  Methods methods_;
  mutable Snapshot snapshot_;  // null once methods_ has changed
  std::atomic<std::uint64_t> version_{1};
};

}  // namespace trunkline::server
