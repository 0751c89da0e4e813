// SPDX-License-Identifier: MIT
// Completing in bounded batches.
#include "call/completion_queue.h"

#include <utility>

namespace trunkline::call {

namespace {
constexpr int most_at_once = 256;
}

void CompletionQueue::push(StreamOperation& operation) {
  operation.next_ = nullptr;
  if (head_ == nullptr) wake_(owner_);
  (head_ == nullptr ? head_ : tail_->next_) = &operation;
  tail_ = &operation;
}

StreamOperation* CompletionQueue::take() noexcept {
  StreamOperation* const first = head_;
  if (first != nullptr) head_ = first->next_;
  return first;
}

void CompletionQueue::run() {
  for (int count = 0; head_ != nullptr; ++count) {
    if (count == most_at_once) return wake_(owner_);
    StreamOperation& operation = *std::exchange(head_, head_->next_);
    if (head_ != nullptr) wake_(owner_);  // should the completion block in a nested run of the loop
    operation.complete(operation);
  }
}

}  // namespace trunkline::call
