// SPDX-License-Identifier: MIT
// PendingCalls: three lists of attempts, and their timers.
#include "client/pending_calls.h"

#include "client/call_status.h"

#include <algorithm>
#include <string>
#include <utility>

namespace trunkline::client {

PendingCalls::PendingCalls(base::TimerWheel& timers, std::size_t limit, Hooks hooks)
    : timers_(timers), limit_(limit), hooks_(std::move(hooks)) {}

PendingCalls::~PendingCalls() {
  for (List* const list : {&queue_, &held_, &paused_}) {
    while (list->size > 0) take_first(*list);
  }
}

base::TimePoint PendingCalls::earliest_deadline() const noexcept {
  base::TimePoint earliest = base::never;
  for (const Attempt* attempt = queue_.first; attempt != nullptr; attempt = attempt->next_) {
    earliest = std::min(earliest, attempt->deadline);
  }
  return earliest;
}

bool PendingCalls::admit(Attempt& attempt) {
  const std::size_t waiting = queue_.size + held_.size;
  if (waiting < limit_ || attempt.waits_for_room) return true;
  Status status(StatusCode::resource_exhausted, "call " + attempt.method->name + ": " + std::to_string(waiting) +
                                                    " calls wait for a connection, max_pending_calls is " +
                                                    std::to_string(limit_));
  status.set_may_have_run(false);
  attempt.fail(std::move(status));
  return false;
}

void PendingCalls::push(Attempt& attempt) {
  const bool hardly_waits = queue_.size + held_.size >= limit_ && hooks_.has_room_soon();
  if (hardly_waits || admit(attempt)) append(attempt, Attempt::Waiting::for_connection, attempt.deadline);
}

void PendingCalls::hold(Attempt& attempt, base::TimePoint until) {
  if (admit(attempt)) append(attempt, Attempt::Waiting::for_breaker, std::min(attempt.deadline, until));
}

Attempt& PendingCalls::pop() { return take_first(queue_); }

void PendingCalls::pause(Attempt& attempt, base::TimePoint until) {
  append(attempt, Attempt::Waiting::for_retry, std::min(attempt.deadline, until));
}

bool PendingCalls::remove(Attempt& attempt) noexcept {
  if (attempt.waiting_ == Attempt::Waiting::no) return false;
  unlink(attempt);
  return true;
}

void PendingCalls::fail_fast(const Status& status, bool had_hello) {
  // The loop makes at most one pass over the queue. The failure of a call may change it, and remove other calls.
  for (std::size_t left = queue_.size; left > 0 && queue_.size > 0; --left) {
    Attempt& attempt = take_first(queue_);
    if (attempt.outlasts_failure(had_hello)) {
      append(attempt, Attempt::Waiting::for_connection, attempt.deadline);
    } else {
      attempt.fail(about_call(*attempt.method, status));
    }
  }
}

void PendingCalls::rules_changed() {
  for (Attempt* attempt = queue_.first; attempt != nullptr; attempt = attempt->next_) {
    attempt->rules_changed();
    timers_.schedule(attempt->timer_, attempt->deadline);
  }
}

void PendingCalls::fail_all(const Status& status) {
  for (List* const list : {&queue_, &held_, &paused_}) {
    while (list->size > 0) {
      Attempt& attempt = take_first(*list);
      attempt.fail(about_call(*attempt.method, status));
    }
  }
}

void PendingCalls::on_timer(Attempt& attempt) {
  PendingCalls& self = *attempt.pending_;
  const bool is_queued = attempt.waiting_ == Attempt::Waiting::for_connection;
  self.unlink(attempt);
  if (!is_queued) return self.hooks_.resume(attempt);
  Status status = deadline_status(*attempt.method, attempt.deadline - attempt.started, self.hooks_.reason());
  status.set_may_have_run(false);
  attempt.fail(std::move(status));
}

void PendingCalls::append(Attempt& attempt, Attempt::Waiting waiting, base::TimePoint until) {
  attempt.waiting_ = waiting;
  attempt.pending_ = this;
  attempt.on_timer_ = &on_timer;
  List& list = list_of(attempt);
  attempt.next_ = nullptr;
  attempt.previous_ = std::exchange(list.last, &attempt);
  (attempt.previous_ != nullptr ? attempt.previous_->next_ : list.first) = &attempt;
  ++list.size;
  if (until != base::never) timers_.schedule(attempt.timer_, until);
}

void PendingCalls::unlink(Attempt& attempt) noexcept {
  List& list = list_of(attempt);
  (attempt.previous_ != nullptr ? attempt.previous_->next_ : list.first) = attempt.next_;
  (attempt.next_ != nullptr ? attempt.next_->previous_ : list.last) = attempt.previous_;
  attempt.previous_ = attempt.next_ = nullptr;
  attempt.waiting_ = Attempt::Waiting::no;
  attempt.timer_.cancel();
  --list.size;
}

Attempt& PendingCalls::take_first(List& list) noexcept {
  Attempt& attempt = *list.first;
  unlink(attempt);
  return attempt;
}

}  // namespace trunkline::client
