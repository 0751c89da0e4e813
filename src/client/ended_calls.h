// SPDX-License-Identifier: MIT
// EndedCalls: unary calls that have ended and whose callers have not been notified yet.
#pragma once

#include "client/channel_lifecycle.h"
#include "net/loop.h"

#include <trunkline/detail/call_operation.h>

#include <utility>

namespace trunkline::client {

/// A queue between the events of a connection and the completions of callers, which may block in calls of their own.
/// The loop's thread uses it, or the thread of the channel's destructor once there is no loop.
class EndedCalls {
 public:
  /// The loop runs `run` after the handler in which a call ends, unless the channel is detached.
  EndedCalls(net::Loop& loop, net::DeferredTask& run, const ChannelLifecycle& lifecycle) noexcept
      : loop_(loop), run_(run), lifecycle_(lifecycle) {}
  EndedCalls(const EndedCalls&) = delete;
  EndedCalls& operator=(const EndedCalls&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  bool has_several() const noexcept { return first_ != nullptr && first_->next_ != nullptr; }
  /// Adds a call. Its outcome must be in `operation.status`.
  void push(detail::CallOperation& operation) {
    operation.has_ended_ = true;
    operation.next_ = nullptr;
    (first_ == nullptr ? first_ : last_->next_) = &operation;
    last_ = &operation;
    if (!lifecycle_.is_detached()) loop_.defer(run_, net::DeferUntil::handler_returns);
  }
  /// Takes the oldest call out; the queue must not be empty.
  detail::CallOperation& pop() noexcept { return *std::exchange(first_, first_->next_); }

 private:
  net::Loop& loop_;
  net::DeferredTask& run_;
  const ChannelLifecycle& lifecycle_;
  detail::CallOperation* first_ = nullptr;
  detail::CallOperation* last_ = nullptr;
};

}  // namespace trunkline::client
