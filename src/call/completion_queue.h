// SPDX-License-Identifier: MIT
// CompletionQueue: operations that are done and wait to be told so, after whoever began them has returned.
#pragma once

#include <trunkline/stream_port.h>

namespace trunkline::call {

/// One per loop, used on its thread only.
class CompletionQueue {
 public:
  /// `wake(owner)` asks for run() at the end of the loop's turn.
  CompletionQueue(void (*wake)(void* owner), void* owner) noexcept : wake_(wake), owner_(owner) {}
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  void push(StreamOperation& operation);
  /// Completes what is there and what comes meanwhile, up to a bound; wakes again if there is more. What a coroutine
  /// writes in turn thus leaves in one write of the connection.
  void run();
  /// The first, for somebody else to complete; null if there is none.
  StreamOperation* take() noexcept;
  /// Takes over what `from` has.
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
  StreamOperation* head_ = nullptr;
  StreamOperation* tail_ = nullptr;
};

}  // namespace trunkline::call
