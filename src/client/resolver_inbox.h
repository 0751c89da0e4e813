// SPDX-License-Identifier: MIT
// ResolverInbox: passes what a resolver reports on any thread to the loop of its channel.
#pragma once

#include "net/loop.h"

#include <trunkline/resolver.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace trunkline::client {

/// Receives reports on the loop's thread.
class ResolverListener {
 public:
  virtual void resolved(Resolution resolution) = 0;
  virtual void resolving_failed(Status error) = 0;

 protected:
  ~ResolverListener() = default;
};

/// An inbox whose listener gets reports in the order of their arrival: those on the loop's thread at once, unless one
/// of another thread is still on its way.
class ResolverInbox final : public ResolverUpdates, public std::enable_shared_from_this<ResolverInbox> {
 public:
  ResolverInbox(net::Loop& loop, ResolverListener& listener) noexcept : loop_(&loop), listener_(&listener) {}

  void update(Resolution resolution) override {
    pass(
        [report = std::move(resolution)](ResolverListener& listener) mutable { listener.resolved(std::move(report)); });
  }
  void fail(Status error) override {
    pass([report = std::move(error)](ResolverListener& listener) mutable {
      listener.resolving_failed(std::move(report));
    });
  }

  /// Closes the inbox: nothing reaches the listener any more. The loop's thread or the channel's destructor calls it.
  void close() noexcept {
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
    listener_ = nullptr;
  }

 private:
  template <class Report>
  void pass(Report report) {
    std::unique_lock lock(mutex_);
    if (loop_ == nullptr) return;
    if (posted_ == 0 && loop_->is_current()) {
      ResolverListener& listener = *listener_;
      lock.unlock();
      return report(listener);
    }
    ++posted_;
    loop_->post([self = shared_from_this(), posted = std::move(report)]() mutable {
      self->note_passed();
      // The listener is set to null on this thread only.
      if (self->listener_ != nullptr) posted(*self->listener_);
    });
  }

  void note_passed() noexcept {
    const std::lock_guard lock(mutex_);
    --posted_;
  }

  std::mutex mutex_;
  /// The number of reports that are on their way to the loop.
  std::size_t posted_ = 0;
  net::Loop* loop_;
  ResolverListener* listener_;
};

}  // namespace trunkline::client
