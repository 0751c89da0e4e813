// SPDX-License-Identifier: MIT
// Waiting, in order and not for ever.
#include "client/pending_queue.h"

#include <string>
#include <utility>

namespace trunkline::client {

PendingQueue::PendingQueue(base::TimerWheel& timers, std::size_t limit, std::function<std::string()> why)
    : timers_(timers), limit_(limit), why_(std::move(why)) {}

PendingQueue::~PendingQueue() {
  while (!empty()) unlink(*first_);
}

void PendingQueue::push(Attempt& attempt) {
  if (size_ >= limit_ && !attempt.waits_for_room) {
    Status status(StatusCode::resource_exhausted, "call " + attempt.method->name + ": " + std::to_string(size_) +
                                                      " calls wait for a connection, max_pending_calls is " +
                                                      std::to_string(limit_));
    status.set_may_have_run(false);
    return attempt.fail(std::move(status));
  }
  append(attempt);
}

void PendingQueue::append(Attempt& attempt) {
  attempt.queued_ = true;
  attempt.queue_ = this;
  attempt.expire_ = &expire;
  attempt.next_ = nullptr;
  attempt.previous_ = std::exchange(last_, &attempt);
  (attempt.previous_ != nullptr ? attempt.previous_->next_ : first_) = &attempt;
  ++size_;
  if (attempt.deadline != base::never) timers_.schedule(attempt.timer_, attempt.deadline);
}

void PendingQueue::unlink(Attempt& attempt) noexcept {
  (attempt.previous_ != nullptr ? attempt.previous_->next_ : first_) = attempt.next_;
  (attempt.next_ != nullptr ? attempt.next_->previous_ : last_) = attempt.previous_;
  attempt.previous_ = attempt.next_ = nullptr;
  attempt.queued_ = false;
  attempt.timer_.cancel();
  --size_;
}

Attempt& PendingQueue::pop() {
  Attempt& attempt = *first_;
  unlink(attempt);
  return attempt;
}

bool PendingQueue::remove(Attempt& attempt) noexcept {
  if (!attempt.queued_) return false;
  unlink(attempt);
  return true;
}

void PendingQueue::fail_impatient(const Status& status) {
  // Once round: what fails may change the queue, also by taking others out of it.
  for (std::size_t left = size_; left > 0 && !empty(); --left) {
    Attempt& attempt = pop();
    if (attempt.wait_for_ready) {
      append(attempt);
    } else {
      attempt.fail(about_call(*attempt.method, status));
    }
  }
}

void PendingQueue::fail_all(const Status& status) {
  while (!empty()) {
    Attempt& attempt = pop();
    attempt.fail(about_call(*attempt.method, status));
  }
}

void PendingQueue::expire(Attempt& attempt) {
  auto& self = *static_cast<PendingQueue*>(attempt.queue_);
  self.unlink(attempt);
  Status status = deadline_status(*attempt.method, attempt.deadline - attempt.started, self.why_());
  status.set_may_have_run(false);
  attempt.fail(std::move(status));
}

Status about_call(const MethodEntry& method, const Status& status) {
  Status result(status.code(), "call " + method.name + ": " + std::string(status.message()), status.origin());
  result.set_may_have_run(status.may_have_run());
  for (const StatusDetail& detail : status.details()) result.add_detail(detail.type_url, detail.value);
  return result;
}

Status deadline_status(const MethodEntry& method, base::Duration waited, std::string_view while_doing) {
  const auto waited_ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
  std::string text = "call " + method.name + ": deadline exceeded after " + std::to_string(waited_ms) + " ms";
  if (!while_doing.empty()) text.append(" waiting for ").append(while_doing);
  return {StatusCode::deadline_exceeded, text};
}

}  // namespace trunkline::client
