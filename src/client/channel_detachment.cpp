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
  // What comes meanwhile has its own turn, after the loop's other work.
  std::size_t left = 0;
  {
    const std::lock_guard lock(detached_mutex_);
    posted_woken_ = false;
    left = posted_.size();
  }
  for (; left > 0; --left) {
    std::function<void()> task;
    {
      const std::lock_guard lock(detached_mutex_);
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
  call::CompletionQueue own([](void*) {}, nullptr);
  {
    const std::lock_guard lock(detached_mutex_);
    task();
    own.splice(detached_completions_);
  }
  complete_detached(own);
}

/// What the thread itself has begun: nobody else's handler keeps it, and nobody else runs its own.
void ChannelCore::complete_detached(call::CompletionQueue& own) {
  while (call::StreamOperation* const operation = own.take()) {
    operation->is_initiating = true;
    try {
      operation->complete(*operation);
    } catch (...) {
      log_exception();
    }
  }
}

/// Calls end on the loop's thread, or on that of the channel's destructor.
void ChannelCore::end_calls_detached() {
  while (ended_ != nullptr) {
    try {
      end(*std::exchange(ended_, ended_->next_));
    } catch (...) {
      log_exception();
    }
  }
}

/// By a handler that the channel's destructor has called.
void ChannelCore::drive_detached(BlockedCall& call, const std::function<void()>& begin) {
  begin();
  end_calls_detached();
  driver_.wait(call);
}

void ChannelCore::detach() {
  call::CompletionQueue own([](void*) {}, nullptr);
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
    own.splice(completions_);
    own.splice(detached_completions_);
  }
  end_calls_detached();
  complete_detached(own);
}

/// The user's coroutines and handlers there may own streams, and so the core, which owns the loop.
void ChannelCore::clear_own_loop() {
  for (int count = 0; count < most_polls; ++count) {
    try {
      const bool any = loop_.poll();
      end_calls_detached();
      if (!any) break;
    } catch (...) {
      log_exception();
    }
  }
  loop_.clear();
}

}  // namespace trunkline::client
