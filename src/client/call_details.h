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

class UnaryCalls;

/// A call has details if it waits, is retried, goes through interceptors, comes from another thread, or carries
/// metadata. Its operation owns them, from the start of the call or from its first failure until its end. They are made
/// on the thread that begins the call, and are used on the loop's thread.
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
  /// A payload, or a view of a request that outlives the call.
  session::OutgoingMessage message;
  Metadata metadata;
  Metadata leading;
  Metadata trailing;
  std::string peer;
  ResponseInfo* response_info = nullptr;
  /// Why the call failed while it was being prepared.
  Status early_error;
  Interception interception;
  /// The entry of the method, if it has none in the channel's table.
  std::unique_ptr<MethodEntry> own_method;

 private:
  EndedCalls& ended_;
};

using CallDetailsPool = base::ObjectPool<CallDetails, 4096>;

}  // namespace trunkline::client
