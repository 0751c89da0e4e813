// SPDX-License-Identifier: MIT
// Waiting for a channel to be ready, closing it, and letting go of it.
#include "client/channel_core.h"

#include <algorithm>
#include <string>
#include <utility>

namespace trunkline {

std::string_view to_string(ChannelState state) noexcept {
  switch (state) {
    case ChannelState::idle:
      return "idle";
    case ChannelState::connecting:
      return "connecting";
    case ChannelState::ready:
      return "ready";
    case ChannelState::failing:
      return "failing";
    case ChannelState::closed:
      return "closed";
  }
  return "unknown";
}

}  // namespace trunkline

namespace trunkline::client {

namespace {

std::string in_ms(std::chrono::nanoseconds duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) + " ms";
}

}  // namespace

/// A thread in wait_for_ready() or close().
struct ChannelCore::Waiter {
  Waiter(ChannelCore& owner, void (*on_timeout)(Waiter& waiter))
      : core(owner),
        expired(on_timeout),
        timer(
            [](base::Timer&, void* self, base::TimePoint) {
              auto& waiter = *static_cast<Waiter*>(self);
              waiter.expired(waiter);
            },
            this) {}
  void finish(Status outcome) {
    status = std::move(outcome);
    timer.cancel();
    std::erase(core.ready_waiters_, this);
    std::erase(core.close_waiters_, this);
    core.driver_.finish(blocked);
  }

  ChannelCore& core;
  BlockedCall blocked;
  Status status;
  std::chrono::nanoseconds timeout{};
  void (*expired)(Waiter& waiter);
  base::Timer timer;
};

Status ChannelCore::wait(Waiter& waiter, std::chrono::nanoseconds timeout, const std::function<void()>& begin) {
  waiter.timeout = timeout;
  const std::function<void()> start = [&] {
    const auto wait = std::chrono::duration_cast<base::Duration>(std::max(timeout, std::chrono::nanoseconds(0)));
    loop_.timers().schedule(waiter.timer, base::deadline_after(loop_.now(), wait));
    begin();
  };
  drive(waiter.blocked, [&] {
    if (detached_ || loop_.is_current()) return start();
    loop_.post(start);
  });
  return std::move(waiter.status);
}

Status ChannelCore::wait_for_ready(std::chrono::nanoseconds timeout) {
  Waiter waiter(*this, [](Waiter& expired) {
    expired.finish({StatusCode::deadline_exceeded, "wait for channel: not ready after " + in_ms(expired.timeout) +
                                                       ", waiting for " + expired.core.waiting_for()});
  });
  return wait(waiter, timeout, [&] {
    if (closed_) return waiter.finish({StatusCode::failed_precondition, "wait for channel: the channel is closed"});
    if (pool_->is_ready()) return waiter.finish({});
    ready_waiters_.push_back(&waiter);
    connect_if_wanted();
  });
}

void ChannelCore::release_waiters() {
  if (pool_->is_ready()) {
    for (Waiter* waiter : std::vector(ready_waiters_)) waiter->finish({});
  }
  if (closed_ && pool_->is_empty()) {
    for (Waiter* waiter : std::vector(close_waiters_)) waiter->finish({});
  }
}

/// What is left has not ended in time. What their completions do comes after this: they may take as long as
/// they like, run the loop, or destroy the channel.
void ChannelCore::cut_off(Waiter& waiter) {
  std::erase(close_waiters_, &waiter);  // nobody else is to end it meanwhile
  const std::size_t count = pool_->open_calls();
  pool_->close_all({StatusCode::cancelled, "the channel is closed"});
  pool_->end_calls();
  // Connections that have only not been closed by their peers yet are nobody's loss.
  if (count == 0) return waiter.finish({});
  waiter.finish({StatusCode::deadline_exceeded, "close channel: " + std::to_string(count) +
                                                    " calls were cancelled, they had not ended after " +
                                                    in_ms(waiter.timeout)});
}

void ChannelCore::begin_close() {
  closed_ = true;
  for (Waiter* waiter : std::vector(ready_waiters_)) {
    waiter->finish({StatusCode::cancelled, "wait for channel: the channel is closed"});
  }
  Status status(StatusCode::cancelled, "the channel is closed");
  status.set_may_have_run(false);
  pending_.fail_all(status);
  while (first_repeating_ != nullptr) {
    CallDetails& details = *first_repeating_;
    details.stop_waiting();
    details.fail(about_call(*details.method, status));
  }
  pool_->drain();
  refresh_state();
}

Status ChannelCore::close(std::chrono::nanoseconds timeout) {
  Waiter waiter(*this, [](Waiter& expired) { expired.core.cut_off(expired); });
  return wait(waiter, timeout, [&] {
    close_waiters_.push_back(&waiter);
    begin_close();
    release_waiters();
  });
}

void ChannelCore::shut_down() {
  const std::shared_ptr<ChannelCore> keep = shared_from_this();
  Waiter waiter(*this, [](Waiter&) {});
  // Comes after the connections' own deferred turns, in which they say goodbye.
  net::Deferred last([](void* self) { static_cast<Waiter*>(self)->finish({}); }, &waiter);
  const std::function<void()> begin = [&] {
    begin_close();
    pool_->close_all({StatusCode::cancelled, "the channel is closed"});
    pool_->end_calls();
    loop_.defer(last);
  };
  bool begun = false;
  const auto begin_once = [&] {
    if (std::exchange(begun, true)) return;
    if (loop_.is_current()) return begin();
    loop_.post(begin);
  };
  while (!waiter.blocked.is_done()) {
    bool is_over = false;
    log_what_throws([&] {
      if (driver_.is_own() || loop_.is_current()) {
        driver_.drive(waiter.blocked, begin_once);
      } else {
        // Nobody runs the user's loop: the contract of the channel's destructor.
        const auto step = [&] {
          begin_once();
          return waiter.blocked.is_done();
        };
        is_over = !loop_.run_until(step, base::never);
      }
    });
    if (is_over) break;
  }
  driver_.stop();
  detach();
  if (driver_.is_own() && !loop_.is_current()) clear_own_loop();
}

}  // namespace trunkline::client
