// SPDX-License-Identifier: MIT
// PendingConnections: the connections of a server on one loop that are between their accept and their session.
#pragma once

#include "net/loop.h"
#include "net/loop_owned.h"

#include <list>
#include <memory>
#include <utility>

namespace trunkline::net {

/// The operations that read the first bytes of such connections are owned by their loop, which may live longer than the
/// server. Shared by both. Loop's thread only.
class PendingConnections {
 public:
  explicit PendingConnections(Loop& loop) noexcept : loop_(loop) {}
  PendingConnections(const PendingConnections&) = delete;
  PendingConnections& operator=(const PendingConnections&) = delete;

  /// Keeps an operation in the list as long as it is under way.
  class Place {
   public:
    /// `pending` may be null: the operation is in no list. `operation` is destroyed by end_all() while it has a place.
    Place(std::shared_ptr<PendingConnections> pending, LoopOwned& operation) : pending_(std::move(pending)) {
      if (pending_ != nullptr) place_ = pending_->operations_.insert(pending_->operations_.end(), &operation);
    }
    ~Place() { leave(); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// The operation is about to end by itself. May be called again.
    void leave() noexcept {
      if (pending_ != nullptr) std::exchange(pending_, nullptr)->operations_.erase(place_);
    }

   private:
    std::shared_ptr<PendingConnections> pending_;
    std::list<LoopOwned*>::iterator place_{};
  };

  bool empty() const noexcept { return operations_.empty(); }
  /// Closes all of them. Their callbacks are not called.
  void end_all() noexcept {
    while (!operations_.empty()) static_cast<void>(loop_.release(*operations_.front()));
  }

 private:
  Loop& loop_;
  std::list<LoopOwned*> operations_;
};

}  // namespace trunkline::net
