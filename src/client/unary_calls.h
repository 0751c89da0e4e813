// SPDX-License-Identifier: MIT
// UnaryCalls: the unary and one-way calls of a channel, from their beginning to their completion.
#pragma once

#include "client/call_details.h"
#include "client/call_preparation.h"
#include "client/channel_lifecycle.h"
#include "client/client_connection.h"
#include "client/connection_invoker.h"
#include "client/ended_calls.h"
#include "client/exception_log.h"
#include "client/retry_policy.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace trunkline::client {

/// A call's way out:  begin() -> interceptors -> ConnectionInvoker -> ClientConnection
/// and back:          ClientConnection -> call_finished() -> retry, or EndedCalls -> interceptors -> complete.
///
/// A call with nothing to intercept, to remember or to wait for takes a shorter way: from begin() straight to the
/// connection, and from there straight to EndedCalls, or to `complete` if a thread waits for the call.
///
/// Loop's thread, except where noted. Once there is no loop, the thread of the channel's destructor takes its place.
class UnaryCalls {
 public:
  struct Parts {
    net::Loop& loop;
    const ChannelOptions& options;
    const ChannelLifecycle& lifecycle;
    const ExceptionLog& log;
    CallPreparation& preparation;
    ConnectionInvoker& invoker;
    /// Runs complete_one() until there is nothing left to complete.
    net::DeferredTask& run_completions;
    /// Keeps the channel alive for a call that is on its way to the loop.
    std::function<std::shared_ptr<void>()> keep_channel;
  };
  explicit UnaryCalls(Parts parts);

  /// Any thread. `operation` tells what kind of call it is.
  void begin(detail::CallOperation& operation, const Method& method, MessageView request, const CallOptions& options);
  /// Any thread.
  std::uint64_t next_cancel_number() noexcept {
    return last_cancel_number_.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  /// Cancels the call of that number. No effect if it has ended.
  void cancel(std::uint64_t cancel_number);
  /// Cancels a call that has begun. No effect if it has ended.
  void cancel(detail::CallOperation& operation);

  /// From the connection, amid its events. The caller's code runs after these, so that it may block in a call of its
  /// own, but a thread that waits is woken at once.
  void call_finished(detail::CallOperation& operation, session::Event& event, const ClientConnection& connection) {
    if (!operation.status.is_ok() || operation.details_ != nullptr) [[unlikely]] {
      return call_finished_with_details(operation, event, connection);
    }
    if (!operation.request_stays) return ended_.push(operation);
    retry_.on_success();
    operation.complete(operation);
  }
  void leading_received(detail::CallOperation& operation, const Metadata& leading);

  /// Calls whose callers have still to be told.
  const EndedCalls& ended() const noexcept { return ended_; }
  /// Completes the oldest of ended(), which must not be empty.
  void complete_one() { complete(ended_.pop()); }
  /// Completes ended(), and what its callers begin in the meantime, if that ends at once. Without a loop every call
  /// does so: this returns once the callers begin no further ones.
  void complete_all() noexcept;

 private:
  bool try_begin_direct(detail::CallOperation& operation, const Method& method, MessageView request,
                        const CallOptions& options);
  Status encode_request(detail::CallOperation& operation, session::OutgoingMessage& message, bool is_kept);
  bool end_unsent(detail::CallOperation& operation, const Status& status);
  void begin_with_details(detail::CallOperation& operation, const Method& method, MessageView request,
                          const CallOptions& options);
  Status prepare(CallDetails& details, const Method& method, MessageView request, const CallOptions& options);
  static void launch_posted(net::PostedTask* task);
  void launch(CallDetails& details);
  void call_finished_with_details(detail::CallOperation& operation, session::Event& event,
                                  const ClientConnection& connection);
  bool try_retry(detail::CallOperation& operation);
  CallDetails& details_of(detail::CallOperation& operation);
  void complete(detail::CallOperation& operation);

  const Parts parts_;
  RetryPolicy retry_;
  EndedCalls ended_;
  std::unordered_map<std::uint64_t, detail::CallOperation*> cancellable_;
  std::atomic<std::uint64_t> last_cancel_number_{0};
};

}  // namespace trunkline::client
