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
#include "client/hedged_call.h"
#include "client/retry_policy.h"
#include "client/service_rules.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

namespace trunkline::client {

/// The path of a request:   begin() -> interceptors -> ConnectionInvoker -> ClientConnection
/// The path of a response:  ClientConnection -> call_finished() -> retry, or EndedCalls -> interceptors -> complete
///
/// The fast path is for calls without interceptors, metadata or retries that need not wait: from begin() directly to
/// the connection, and from there directly to EndedCalls, or to `complete` if a thread waits for the call.
///
/// Only the loop's thread uses it, except where noted. Without a loop, the channel's destructor takes its place.
class UnaryCalls final : public CallDetailsOwner {
 public:
  struct Parts {
    net::Loop& loop;
    const ChannelOptions& options;
    const ChannelLifecycle& lifecycle;
    const ExceptionLog& log;
    CallPreparation& preparation;
    ConnectionInvoker& invoker;
    ServiceRules& rules;
    /// Runs complete_one() until there is nothing left to complete.
    net::DeferredTask& run_completions;
    /// Returns an owner of the channel, which keeps it alive while a call is posted to the loop.
    std::function<std::shared_ptr<void>()> keep_channel;
  };
  explicit UnaryCalls(Parts parts);

  /// Begins a call, on any thread. `operation` states the kind of the call.
  void begin(detail::CallOperation& operation, const Method& method, MessageView request, const CallOptions& options);
  /// Returns a number for the next call. Any thread may call it.
  std::uint64_t next_cancel_number() noexcept {
    return last_cancel_number_.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  /// Cancels the call with that number. No effect if it has ended.
  void cancel(std::uint64_t cancel_number);
  /// Cancels a call that has begun. No effect if it has ended.
  void cancel(detail::CallOperation& operation);

  /// Called by the connection while it handles events. The caller's code runs after the events, because it may block in
  /// a call of its own, but a thread that waits is woken at once.
  void call_finished(detail::CallOperation& operation, session::Event& event, const ClientConnection& connection) {
    if (!operation.status.is_ok() || operation.details_ != nullptr) [[unlikely]] {
      return call_finished_with_details(operation, event, connection);
    }
    if (!operation.request_stays) return ended_.push(operation);
    retry_.on_success();
    operation.complete(operation);
  }
  void response_begun(detail::CallOperation& operation, const Metadata& leading);
  void response_received(detail::CallOperation& operation);

  // --- CallDetailsOwner ---

  void rules_changed(CallDetails& details) override { apply_rules(details); }
  void attempt_started(CallDetails& details) override;
  void attempt_timed_out(CallDetails& details) override;

  /// Returns the policy, which serves the streams of the channel too.
  RetryPolicy& retry() noexcept { return retry_; }

  /// Returns the calls whose callers have not been notified yet.
  const EndedCalls& ended() const noexcept { return ended_; }
  /// Completes the oldest of ended(), which must not be empty.
  void complete_one() { complete(ended_.pop()); }
  /// Completes ended() and the calls that their callers begin meanwhile, as far as these end at once. Without a loop
  /// every call ends at once, so this returns when the callers begin no further calls.
  void complete_all() noexcept;

 private:
  bool try_begin_direct(detail::CallOperation& operation, const Method& method, MessageView request,
                        const CallOptions& options);
  bool may_be_held(const detail::CallOperation& operation, const Codec* codec) const noexcept;
  bool is_held_anyway(const detail::CallOperation& operation) const noexcept;
  bool try_hold(detail::CallOperation& operation, const CallPreparation::Coding& coding,
                session::OutgoingMessage& message);
  Status hold_request(detail::CallOperation& operation, const CallPreparation::Coding& coding,
                      session::OutgoingMessage& message);
  bool end_unsent(detail::CallOperation& operation, const Status& status);
  void begin_with_details(detail::CallOperation& operation, const Method& method, MessageView request,
                          const CallOptions& options);
  Status prepare(CallDetails& details, const Method& method, MessageView request, const CallOptions& options);
  static void launch_posted(net::PostedTask* task);
  void launch(CallDetails& details);
  void call_finished_with_details(detail::CallOperation& operation, session::Event& event,
                                  const ClientConnection& connection);
  /// The circumstances of an attempt's end, besides operation.status.
  struct AttemptEnd {
    std::optional<std::chrono::milliseconds> pushback{};
    bool has_timed_out = false;
  };
  bool try_retry(detail::CallOperation& operation, const ClientConnection& connection, const AttemptEnd& end);
  base::Duration pause_before_retry(CallDetails& details, const RetryOptions* configured, const AttemptEnd& end);
  MethodRules* rules_of(const MethodEntry& method) { return parts_.rules.any() ? parts_.rules.find(method) : nullptr; }
  /// Applies the service config to the call. It is called more than once if the config changes meanwhile.
  void apply_rules(CallDetails& details);
  bool try_hedge(CallDetails& details);
  Status limit_request(CallDetails& details, std::uint32_t max_bytes) const;
  CallDetails& details_of(detail::CallOperation& operation);
  void complete(detail::CallOperation& operation);

  const Parts parts_;
  RetryPolicy retry_;
  /// Requests up to this size are held by value.
  const std::size_t max_short_bytes_;
  EndedCalls ended_;
  const HedgedCall::Parts hedging_;
  std::unordered_map<std::uint64_t, detail::CallOperation*> cancellable_;
  std::atomic<std::uint64_t> last_cancel_number_{0};
};

}  // namespace trunkline::client
