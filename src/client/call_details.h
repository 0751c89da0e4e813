// SPDX-License-Identifier: MIT
// CallDetails: what a unary call needs that does not go the direct way - to wait, to be repeated, intercepted, or
// posted.
#pragma once

#include "base/object_pool.h"
#include "client/attempt.h"
#include "client/interception.h"
#include "net/task_queue.h"
#include "session/session.h"

#include <trunkline/call_operation.h>

#include <memory>
#include <utility>

namespace trunkline::client {

class ChannelCore;

/// Belongs to its operation from begin to end. Made on the caller's thread, used on the loop's.
class CallDetails final : public Attempt {
 public:
  CallDetails(ChannelCore& owner, CallOperation& call) noexcept;

  Status start_on(ClientConnection& connection) override;
  void fail(Status status) override;

  /// Waits, at most until the deadline, then tries again. The core keeps a list of those that wait so.
  void repeat_after(base::Duration delay);
  /// Does nothing unless it waits.
  void stop_waiting() noexcept;

  struct PostedTask : net::Task {
    CallDetails* details = nullptr;
  };

  ChannelCore& core;
  CallOperation& operation;
  std::shared_ptr<ChannelCore> keep_core;  // while posted
  PostedTask task;
  session::Outgoing message;  // a payload, or a view of a request that stays
  Metadata metadata;
  Metadata leading;
  Metadata trailing;
  std::string peer;
  ReplyInfo* reply = nullptr;
  Status early_error;
  Interception interception;
  std::unique_ptr<MethodEntry> own_method;  // of a name that is not in the table

 private:
  base::Timer repeat_timer_;
  bool is_waiting_ = false;
  CallDetails* previous_waiting_ = nullptr;
  CallDetails* next_waiting_ = nullptr;
};

using CallDetailsPool = base::ObjectPool<CallDetails, 4096>;

}  // namespace trunkline::client
