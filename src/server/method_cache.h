// SPDX-License-Identifier: MIT
// MethodCache: the methods that one loop serves, as a snapshot of the server's registry.
#pragma once

#include "server/loop_method.h"
#include "server/loop_metrics.h"
#include "server/method_registry.h"
#include "server/route_table.h"

#include <trunkline/codec.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace trunkline::server {

/// A cache that only the loop's thread uses. Its methods do not change during a batch of events, so that a LoopMethod
/// found in a batch is valid until the batch ends.
class MethodCache {
 public:
  /// The arguments must outlive the cache.
  MethodCache(const MethodRegistry& registry, const CodecRegistry& codecs, LoopMetrics& metrics) noexcept
      : registry_(registry), codecs_(codecs), metrics_(metrics) {}
  MethodCache(const MethodCache&) = delete;
  MethodCache& operator=(const MethodCache&) = delete;

  /// A scope that lasts as long as a batch of events is handled. Batches nest if a handler runs the loop.
  class Batch {
   public:
    explicit Batch(MethodCache& cache) : cache_(cache) {
      cache_.refresh();
      ++cache_.batches_;
    }
    ~Batch() { --cache_.batches_; }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

   private:
    MethodCache& cache_;
  };

  /// Finds a method within a batch. Returns the fallback, or null without one, if there is no such method.
  LoopMethod* find(std::string_view name);
  const RouteTable& routes() const noexcept { return routes_; }
  /// Returns a number that changes whenever the methods have changed.
  std::uint64_t version() const noexcept { return version_; }
  /// Takes over changes of the registry and releases methods that have been removed. During a batch it does nothing,
  /// since the next batch does it.
  void refresh() {
    if (batches_ == 0 && registry_.version() != version_) take_snapshot();
  }

 private:
  void take_snapshot();

  const MethodRegistry& registry_;
  const CodecRegistry& codecs_;
  LoopMetrics& metrics_;
  std::uint64_t version_ = 0;
  MethodRegistry::Snapshot snapshot_;
  /// The routes of the snapshot.
  RouteTable routes_;
  /// The methods of the snapshot that have been looked up.
  std::unordered_map<const RegisteredMethod*, std::shared_ptr<LoopMethod>> methods_;
  int batches_ = 0;
};

}  // namespace trunkline::server
