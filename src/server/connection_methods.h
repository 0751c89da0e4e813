// SPDX-License-Identifier: MIT
// ConnectionMethods: the methods that a client has named on one connection, by the numbers it gave them.
#pragma once

#include "server/method_cache.h"
#include "session/event.h"

#include <cstdint>
#include <vector>

namespace trunkline::server {

/// Only the loop's thread uses it, within a batch of the cache. The client chooses numbers; the session limits them.
class ConnectionMethods {
 public:
  /// `cache` must outlive this object.
  explicit ConnectionMethods(MethodCache& cache) noexcept : cache_(cache) {}

  /// Forgets the methods if they have changed. Call it at the beginning of each batch.
  void refresh() noexcept {
    if (version_ == cache_.version()) return;
    methods_.clear();
    version_ = cache_.version();
  }
  /// Forgets all methods: another session has begun, whose numbers have nothing to do with those before.
  void forget() noexcept { methods_.clear(); }
  /// Returns the method of a call event; null if there is no such method.
  LoopMethod* find(const session::Event& event) {
    const std::size_t number = event.method_number;
    if (event.method_epoch != epoch_) [[unlikely]]
      forget(event.method_epoch);
    if (number != 0 && number < methods_.size() && methods_[number] != nullptr) return methods_[number];
    return look_up(event);
  }

 private:
  LoopMethod* look_up(const session::Event& event);
  /// Forgets all methods, since the client has given a number to another name.
  void forget(std::uint32_t epoch) noexcept {
    methods_.clear();
    epoch_ = epoch;
  }

  MethodCache& cache_;
  /// The methods by their numbers; null if the number is not known.
  std::vector<LoopMethod*> methods_;
  /// The version of the cache when methods_ was filled.
  std::uint64_t version_ = 0;
  /// The epoch of the events when methods_ was filled.
  std::uint32_t epoch_ = 0;
};

}  // namespace trunkline::server
