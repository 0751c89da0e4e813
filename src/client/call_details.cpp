// SPDX-License-Identifier: MIT
// A call that waits, as the pending queue sees it.
#include "client/call_details.h"

#include "client/channel_core.h"

#include <algorithm>
#include <utility>

namespace trunkline::client {

CallDetails::CallDetails(ChannelCore& owner, CallOperation& call) noexcept
    : core(owner),
      operation(call),
      repeat_timer_(
          [](base::Timer&, void* self, base::TimePoint) {
            auto& details = *static_cast<CallDetails*>(self);
            details.stop_waiting();
            details.core.invoke(details);
          },
          this) {
  task.details = this;
}

Status CallDetails::start_on(ClientConnection& connection) {
  Status status = connection.start(operation, message, &metadata);
  if (!status.is_ok()) return status.set_may_have_run(false), status;
  if (reply != nullptr || interception.started > 0) peer = connection.peer();
  if (operation.one_way) core.end_soon(operation);
  return {};
}

void CallDetails::fail(Status status) {
  operation.status = std::move(status);
  core.end_soon(operation);
}

void CallDetails::repeat_after(base::Duration delay) {
  net::Loop& loop = core.loop();
  loop.timers().schedule(repeat_timer_, std::min(deadline, base::deadline_after(loop.now(), delay)));
  is_waiting_ = true;
  CallDetails*& first = core.first_repeating();
  previous_waiting_ = nullptr;
  next_waiting_ = std::exchange(first, this);
  if (next_waiting_ != nullptr) next_waiting_->previous_waiting_ = this;
}

void CallDetails::stop_waiting() noexcept {
  if (!std::exchange(is_waiting_, false)) return;
  repeat_timer_.cancel();
  (previous_waiting_ != nullptr ? previous_waiting_->next_waiting_ : core.first_repeating()) = next_waiting_;
  if (next_waiting_ != nullptr) next_waiting_->previous_waiting_ = previous_waiting_;
}

}  // namespace trunkline::client
