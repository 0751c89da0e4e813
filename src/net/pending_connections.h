// SPDX-License-Identifier: MIT
// PendingConnections: the connections of a server on one loop that are between their accept and their session.
#pragma once

#include "net/loop.h"
#include "net/loop_owned.h"

#include <list>
#include <memory>
#include <utility>

namespace trunkline::net {

/// The loop owns the operations that read the first bytes of such connections, and may live longer than the server.
/// Both share this object. Only the loop's thread uses it.
class PendingConnections {
 public:
  explicit PendingConnections(Loop& loop) noexcept : loop_(loop) {}
  PendingConnections(const PendingConnections&) = delete;
  PendingConnections& operator=(const PendingConnections&) = delete;

  /// Keeps an operation in the list as long as it is under way.
  class Place {
   public:
    /// Adds `operation`, which end_all() destroys while it has a place. `pending` may be null: then it is in no list.
    Place(std::shared_ptr<PendingConnections> pending, LoopOwned& operation) : pending_(std::move(pending)) {
      if (pending_ != nullptr) place_ = pending_->operations_.insert(pending_->operations_.end(), &operation);
    }
    ~Place() { leave(); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// Takes the operation out, as it is about to end by itself. May be called again.
    void leave() noexcept {
      if (pending_ != nullptr) std::exchange(pending_, nullptr)->operations_.erase(place_);
    }

   private:
    std::shared_ptr<PendingConnections> pending_;
    std::list<LoopOwned*>::iterator place_{};
  };

  bool empty() const noexcept { return operations_.empty(); }
  /// Closes all of them, without calling their callbacks.
  void end_all() noexcept {
    while (!operations_.empty()) static_cast<void>(loop_.release(*operations_.front()));
  }

 private:
  Loop& loop_;
  std::list<LoopOwned*> operations_;
};

}  // namespace trunkline::net
