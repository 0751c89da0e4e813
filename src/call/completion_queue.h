// SPDX-License-Identifier: MIT
// CompletionQueue: ended stream operations whose handlers run after the code that ended them has returned.
#pragma once

#include <trunkline/detail/stream_port.h>

namespace trunkline::call {

/// A queue for one loop, on its thread. It does not own the operations.
class CompletionQueue {
 public:
  /// `wake(owner)` is called when there is something to do, and arranges a call of run() at the end of the loop's turn.
  CompletionQueue(void (*wake)(void* owner), void* owner) noexcept : wake_(wake), owner_(owner) {}
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  void push(detail::StreamOperation& operation);
  /// Completes the operations in the queue and those that are added in the meantime, up to a bound. Wakes again if
  /// there are more. So the messages that a coroutine writes one after the other leave in one write of the connection.
  void run();
  /// Takes the first operation out, for the caller to complete. Returns null if there is none.
  detail::StreamOperation* take() noexcept;
  /// Moves everything from `from` to the end of this queue.
  void splice(CompletionQueue& from) noexcept {
    if (from.head_ == nullptr) return;
    (head_ == nullptr ? head_ : tail_->next_) = from.head_;
    tail_ = from.tail_;
    from.head_ = nullptr;
  }
  bool empty() const noexcept { return head_ == nullptr; }

 private:
  void (*wake_)(void* owner);
  void* owner_;
  detail::StreamOperation* head_ = nullptr;
  detail::StreamOperation* tail_ = nullptr;
};

}  // namespace trunkline::call
