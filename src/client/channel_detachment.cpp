// SPDX-License-Identifier: MIT
// What comes from other threads, and what is left of a channel that has gone: its streams, without a loop.
#include "client/channel_core.h"

#include <utility>

namespace trunkline::client {

namespace {
/// Handlers of the user's that post themselves again do not keep the channel's destructor.
constexpr int most_polls = 16;
}  // namespace

// --- the loop's own queue in front of the loop, of which nothing is lost when the channel goes ---

void ChannelCore::run_soon(std::function<void()> task, bool is_urgent) {
  if (is_on_loop()) return task();
  {
    const std::lock_guard lock(detached_mutex_);
    if (!detached_) {
      if (is_urgent && driver_.needs_thread()) static_cast<void>(driver_.start_thread(shared_from_this()));
      posted_.push_back(std::move(task));
      if (!std::exchange(posted_woken_, true)) loop_.post([self = shared_from_this()] { self->run_posted(); });
      return;
    }
  }
  run_detached(task);
}

void ChannelCore::run_posted() {
  for (bool is_first = true;; is_first = false) {
    std::function<void()> task;
    {
      const std::lock_guard lock(detached_mutex_);
      if (is_first) posted_woken_ = false;
      if (posted_.empty()) return;
      task = std::move(posted_.front());
      posted_.pop_front();
      // Should the task block in a nested run of the loop, or throw.
      if (!posted_.empty() && !std::exchange(posted_woken_, true)) {
        loop_.post([self = shared_from_this()] { self->run_posted(); });
      }
    }
    task();
  }
}

void ChannelCore::cancel(std::uint64_t cancel_number) {
  const std::lock_guard lock(detached_mutex_);
  if (detached_) return;
  // On the loop's thread too: the call may still be on its way there.
  loop_.post([self = shared_from_this(), cancel_number] { self->cancel_on_loop(cancel_number); });
}

// --- without a loop ---

void ChannelCore::run_detached(const std::function<void()>& task) {
  const std::shared_ptr<ChannelCore> keep = shared_from_this();
  {
    const std::lock_guard lock(detached_mutex_);
    task();
  }
  complete_detached();
}

/// One by one, so that none has to wait for what another's handler waits for.
void ChannelCore::complete_detached() {
  for (;;) {
    CallOperation* call = nullptr;
    call::StreamOperation* operation = nullptr;
    {
      const std::lock_guard lock(detached_mutex_);
      call = ended_;
      if (call != nullptr) {
        ended_ = call->next_;
      } else {
        operation = completions_.take();
      }
    }
    if (call == nullptr && operation == nullptr) return;
    try {
      if (call != nullptr) {
        end(*call);
      } else {
        operation->complete(*operation);
      }
    } catch (...) {
      log_exception();
    }
  }
}

void ChannelCore::detach() {
  {
    const std::lock_guard lock(detached_mutex_);
    run_completions_.cancel();
    detached_ = true;
    pool_->detach();
    while (!posted_.empty()) {
      const std::function<void()> task = std::move(posted_.front());
      posted_.pop_front();
      task();
    }
  }
  complete_detached();
}

/// The user's coroutines and handlers there may own streams, and so the core, which owns the loop.
void ChannelCore::clear_own_loop() {
  for (int count = 0; count < most_polls; ++count) {
    try {
      if (!loop_.poll()) break;
    } catch (...) {
      log_exception();
    }
  }
  loop_.clear();
}

}  // namespace trunkline::client
