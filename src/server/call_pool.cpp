// SPDX-License-Identifier: MIT
// CallPool: the list of calls in use and the stack of free ones.
#include "server/call_pool.h"

#include <utility>

namespace trunkline::server {

CallPool::~CallPool() {
  // The list may hold calls whose handlers were never destroyed.
  while (first_in_use_ != nullptr) {
    const std::unique_ptr<ServerCall> call(std::exchange(first_in_use_, first_in_use_->next));
  }
}

ServerCall& CallPool::take() {
  std::unique_ptr<ServerCall> call;
  if (free_.empty()) {
    call = std::make_unique<ServerCall>();
  } else {
    call = std::move(free_.back());
    free_.pop_back();
  }
  call->previous = nullptr;
  call->next = first_in_use_;
  if (first_in_use_ != nullptr) first_in_use_->previous = call.get();
  first_in_use_ = call.get();
  ++in_use_;
  return *call.release();
}

void CallPool::give_back(ServerCall& call) {
  (call.previous != nullptr ? call.previous->next : first_in_use_) = call.next;
  if (call.next != nullptr) call.next->previous = call.previous;
  --in_use_;
  std::unique_ptr<ServerCall> owned(&call);
  call.reset();
  if (free_.size() < max_free || is_visiting_) free_.push_back(std::move(owned));
}

void CallPool::visit(const std::function<void(ServerCall&)>& visitor) {
  std::vector<ServerCall*> calls;
  calls.reserve(in_use_);
  for (ServerCall* call = first_in_use_; call != nullptr; call = call->next) calls.push_back(call);
  is_visiting_ = true;
  for (ServerCall* call : calls) {
    if (call->owner != nullptr) visitor(*call);
  }
  is_visiting_ = false;
  if (free_.size() > max_free) free_.resize(max_free);
}

}  // namespace trunkline::server
