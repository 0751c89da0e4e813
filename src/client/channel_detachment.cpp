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
      if (is_urgent) static_cast<void>(ensure_runner());
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

/// A thread amid handlers, on its stack: what they begin is completed after them, not inside them.
struct ChannelCore::DetachedRun {
  DetachedRun(const ChannelCore& owner, call::CompletionQueue& begun) noexcept
      : core(owner), queue(begun), outer(std::exchange(innermost, this)) {}
  ~DetachedRun() { innermost = outer; }
  DetachedRun(const DetachedRun&) = delete;
  DetachedRun& operator=(const DetachedRun&) = delete;

  const ChannelCore& core;
  call::CompletionQueue& queue;
  DetachedRun* const outer;  // of another channel
  static thread_local DetachedRun* innermost;
};

thread_local constinit ChannelCore::DetachedRun* ChannelCore::DetachedRun::innermost = nullptr;

ChannelCore::DetachedRun* ChannelCore::detached_run() const noexcept {
  DetachedRun* run = DetachedRun::innermost;
  while (run != nullptr && &run->core != this) run = run->outer;
  return run;
}

/// What the thread itself has begun: nobody else's handler keeps it, and nobody else runs its own.
void ChannelCore::complete_detached(call::CompletionQueue& own) {
  if (DetachedRun* const run = detached_run()) return run->queue.splice(own);
  const DetachedRun run(*this, own);
  while (call::StreamOperation* const operation = own.take()) complete_in_place(*operation);
}

/// What the thread's handlers have begun before it blocks in `call` is completed first, as a loop would do.
void ChannelCore::complete_detached_until_done(const BlockedCall& call) {
  DetachedRun* const run = detached_run();
  if (run == nullptr) return;
  while (!call.is_done()) {
    call::StreamOperation* const operation = run->queue.take();
    if (operation == nullptr) return;
    complete_in_place(*operation);
  }
}

/// Calls end on the loop's thread, or on that of the channel's destructor.
void ChannelCore::end_calls_detached() {
  while (ended_ != nullptr) log_what_throws([&] { end(*std::exchange(ended_, ended_->next_)); });
}

/// Handlers of either kind may begin more of both.
void ChannelCore::end_all_detached() {
  do {
    end_calls_detached();
    call::CompletionQueue own([](void*) {}, nullptr);
    {
      const std::lock_guard lock(detached_mutex_);
      own.splice(completions_);
      own.splice(detached_completions_);
    }
    complete_detached(own);
  } while (ended_ != nullptr);
}

/// By a handler that the channel's destructor has called.
void ChannelCore::drive_detached(BlockedCall& call, const std::function<void()>& begin) {
  begin();
  end_calls_detached();
  driver_.wait(call);
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
    // Nobody who enters after this is to find what is not his.
    completions_.splice(detached_completions_);
  }
  end_all_detached();
}

/// The user's coroutines and handlers there may own streams, and so the core, which owns the loop.
void ChannelCore::clear_own_loop() {
  bool is_any_left = true;
  for (int count = 0; is_any_left && count < most_polls; ++count) {
    log_what_throws([&] { is_any_left = loop_.poll(); });
    end_all_detached();
  }
  loop_.clear();
  end_all_detached();
}

}  // namespace trunkline::client
