// SPDX-License-Identifier: MIT
// ServerDrain: the table of a shutdown, and its reports.
#include "server/server_drain.h"

#include <array>
#include <string>
#include <utility>

namespace trunkline::server {

namespace {

using A = DrainAction;
using S = DrainStage;
using Row = std::array<DrainTransition, drain_events>;

// The columns: subscribe, shutdown, last_loop_drained, stop.
constexpr std::array<Row, drain_stages> table = {{
    // not_begun
    {{{A::keep_callback, S::not_begun}, {A::begin, S::draining}, {A::reject, S::not_begun}, {A::none, S::stopped}}},
    // draining
    {{{A::call_callback, S::draining}, {A::wait, S::draining}, {A::finish, S::drained}, {A::abort, S::drained}}},
    // drained: after stop() the loops may still report that they have closed their connections
    {{{A::call_callback, S::drained}, {A::report, S::drained}, {A::none, S::drained}, {A::none, S::drained}}},
    // stopped: a later shutdown finds nothing to do, so its callbacks are not needed
    {{{A::none, S::stopped}, {A::report, S::stopped}, {A::reject, S::stopped}, {A::none, S::stopped}}},
}};

}  // namespace

DrainTransition transition(DrainStage stage, DrainEvent event) noexcept {
  return table[static_cast<std::size_t>(stage)][static_cast<std::size_t>(event)];
}

DrainAction ServerDrain::apply(DrainEvent event) noexcept {
  const DrainTransition next = transition(stage_, event);
  stage_ = next.next;
  return next.action;
}

DrainAction ServerDrain::shutdown(std::size_t loops, Done done) {
  std::vector<std::function<void()>> callbacks;
  Status status;
  DrainAction action = A::none;
  {
    std::lock_guard lock(mutex_);
    action = apply(DrainEvent::shutdown);
    if (action == A::begin) {
      loops_left_ = loops;
      callbacks.swap(callbacks_);
    }
    if (action == A::report) {
      status = status_;
    } else if (done) {
      waiting_.push_back(std::move(done));
    }
  }
  for (const auto& callback : callbacks) callback();
  if (action == A::report && done) done(std::move(status));
  return action;
}

void ServerDrain::loop_drained(std::size_t cut_off) {
  std::vector<Done> waiting;
  Status status;
  {
    std::lock_guard lock(mutex_);
    cut_off_ += cut_off;
    if (--loops_left_ > 0 || apply(DrainEvent::last_loop_drained) != A::finish) return;
    if (cut_off_ > 0) {
      status_ = Status(StatusCode::deadline_exceeded,
                       "server shutdown: its timeout has passed, calls cut off: " + std::to_string(cut_off_));
    }
    status = status_;
    waiting.swap(waiting_);
  }
  for (const Done& done : waiting) done(status);
}

void ServerDrain::stop() {
  std::vector<Done> waiting;
  Status status;
  {
    std::lock_guard lock(mutex_);
    if (apply(DrainEvent::stop) != A::abort) return;
    status_ = Status(StatusCode::aborted, "server shutdown: stop() came before it was done");
    status = status_;
    waiting.swap(waiting_);
  }
  for (const Done& done : waiting) done(status);
}

void ServerDrain::on_shutdown(std::function<void()> callback) {
  {
    std::lock_guard lock(mutex_);
    const DrainAction action = apply(DrainEvent::subscribe);
    if (action == A::keep_callback) callbacks_.push_back(std::move(callback));
    if (action != A::call_callback) return;
  }
  callback();
}

}  // namespace trunkline::server
