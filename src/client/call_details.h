// SPDX-License-Identifier: MIT
// CallDetails: the state of a unary call that cannot take the fast path.
#pragma once

#include "base/object_pool.h"
#include "client/attempt.h"
#include "client/ended_calls.h"
#include "client/interception.h"
#include "net/posted_task.h"
#include "session/session.h"

#include <trunkline/call_options.h>
#include <trunkline/detail/call_operation.h>

#include <memory>
#include <string>

namespace trunkline::client {

class HedgedCall;
class UnaryCalls;

class CallDetails;

/// Receives what the details of a call report, on the loop's thread.
class CallDetailsOwner {
 public:
  /// Called when the service config has changed while the call waits.
  virtual void rules_changed(CallDetails& details) = 0;
  /// Called when an attempt whose time is limited by attempt_timeout has been sent.
  virtual void attempt_started(CallDetails& details) = 0;
  /// Called when the time of attempt_timeout has passed.
  virtual void attempt_timed_out(CallDetails& details) = 0;

 protected:
  ~CallDetailsOwner() = default;
};

/// A call has details if it waits, is retried, goes through interceptors, comes from another thread, or carries
/// metadata. Its operation owns them, from the start of the call or from its first failure until its end. They are made
/// on the thread that begins the call, and are used on the loop's thread.
class CallDetails final : public Attempt {
 public:
  CallDetails(UnaryCalls& all, CallDetailsOwner& owner, EndedCalls& ended, detail::CallOperation& call) noexcept;

  Status start_on(ClientConnection& connection) override;
  void fail(Status status) override;
  void rules_changed() override;

  struct DetailsTask : net::PostedTask {
    CallDetails* details = nullptr;
  };

  UnaryCalls& calls;
  detail::CallOperation& operation;
  /// The owner of the channel, which keeps it alive while `task` is on its way to the loop.
  std::shared_ptr<void> keep_channel;
  DetailsTask task;
  /// The request: a payload, or a view of a request that outlives the call.
  session::OutgoingMessage message;
  Metadata metadata;
  Metadata leading;
  /// A part of the response of the present attempt has arrived, if only its headers.
  bool has_response_begun = false;
  Metadata trailing;
  std::string peer;
  ResponseInfo* response_info = nullptr;
  /// The error with which the call failed while it was being prepared.
  Status early_error;
  Interception interception;
  /// The entry of a method that has none in the channel's table.
  std::unique_ptr<MethodEntry> own_method;
  /// The method's RetryOptions::attempt_timeout; 0: there is none. `attempt_timer` runs while an attempt is open.
  base::Duration attempt_timeout{};
  base::Timer attempt_timer;
  /// The number of retries before the last pushback of the server: the pauses grow anew from there.
  int retries_at_pushback = 0;
  /// The attempts of the call, if it is hedged.
  std::unique_ptr<HedgedCall, void (*)(HedgedCall*)> hedged{nullptr, nullptr};

 private:
  CallDetailsOwner& owner_;
  EndedCalls& ended_;
};

using CallDetailsPool = base::ObjectPool<CallDetails, 4096>;

}  // namespace trunkline::client
