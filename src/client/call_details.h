// SPDX-License-Identifier: MIT
// CallDetails: what a unary call needs unless it goes straight to a connection and succeeds there.
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

class UnaryCalls;

/// A call has them if it waits, is retried, goes through interceptors, comes from another thread, or carries metadata.
/// They belong to its operation from its beginning, or its first failure, to its end. Made on the thread that begins
/// the call, and used on the loop's.
class CallDetails final : public Attempt {
 public:
  CallDetails(UnaryCalls& owner, EndedCalls& ended, detail::CallOperation& call) noexcept
      : calls(owner), operation(call), ended_(ended) {
    task.details = this;
  }

  Status start_on(ClientConnection& connection) override;
  void fail(Status status) override;

  struct PostedTask : net::PostedTask {
    CallDetails* details = nullptr;
  };

  UnaryCalls& calls;
  detail::CallOperation& operation;
  /// Keeps the channel alive while `task` is on its way to the loop.
  std::shared_ptr<void> keep_channel;
  PostedTask task;
  /// A payload, or a view of a request that stays.
  session::OutgoingMessage message;
  Metadata metadata;
  Metadata leading;
  Metadata trailing;
  std::string peer;
  ResponseInfo* response_info = nullptr;
  /// Why the call failed while it was being prepared.
  Status early_error;
  Interception interception;
  /// Of a method that has no entry in the channel's table.
  std::unique_ptr<MethodEntry> own_method;

 private:
  EndedCalls& ended_;
};

using CallDetailsPool = base::ObjectPool<CallDetails, 4096>;

}  // namespace trunkline::client
