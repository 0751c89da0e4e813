// SPDX-License-Identifier: MIT
// CallPool: the open calls of one loop, and call objects for reuse.
#pragma once

#include "server/server_call.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace trunkline::server {

/// Owns every call. Only the loop's thread uses it.
class CallPool {
 public:
  static constexpr std::size_t max_free = 1024;

  CallPool() = default;
  ~CallPool();
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;

  /// Returns a call in the state in which it was made. It is in use until give_back().
  ServerCall& take();
  /// Resets the call. The caller keeps the pool alive, which the call's owner may have done alone.
  void give_back(ServerCall& call);
  /// Calls `visitor` for each call that is in use when its turn comes. It may give back any call, but take none.
  void visit(const std::function<void(ServerCall&)>& visitor);
  std::size_t in_use() const noexcept { return in_use_; }
  std::size_t free() const noexcept { return free_.size(); }

 private:
  ServerCall* first_in_use_ = nullptr;
  std::size_t in_use_ = 0;
  std::vector<std::unique_ptr<ServerCall>> free_;
  /// True while visit() holds pointers to calls, so that none is destroyed.
  bool is_visiting_ = false;
};

}  // namespace trunkline::server
