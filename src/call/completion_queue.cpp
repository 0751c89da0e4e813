// SPDX-License-Identifier: MIT
// CompletionQueue: completes operations in bounded batches.
#include "call/completion_queue.h"

#include <utility>

namespace trunkline::call {

namespace {
constexpr int max_per_run = 256;
}

void CompletionQueue::push(detail::StreamOperation& operation) {
  operation.next_ = nullptr;
  if (head_ == nullptr) wake_(owner_);
  (head_ == nullptr ? head_ : tail_->next_) = &operation;
  tail_ = &operation;
}

detail::StreamOperation* CompletionQueue::take() noexcept {
  detail::StreamOperation* const first = head_;
  if (first != nullptr) head_ = first->next_;
  return first;
}

void CompletionQueue::run() {
  for (int count = 0; head_ != nullptr; ++count) {
    if (count == max_per_run) return wake_(owner_);
    detail::StreamOperation& operation = *std::exchange(head_, head_->next_);
    // The handler may block in a nested run of the loop, which then goes on with the others.
    if (head_ != nullptr) wake_(owner_);
    operation.complete(operation);
  }
}

}  // namespace trunkline::call
