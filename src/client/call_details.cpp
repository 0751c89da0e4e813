// SPDX-License-Identifier: MIT
// CallDetails: a unary call as an attempt.
#include "client/call_details.h"

#include "client/client_connection.h"

#include <utility>

namespace trunkline::client {

CallDetails::CallDetails(UnaryCalls& all, CallDetailsOwner& owner, EndedCalls& ended,
                         detail::CallOperation& call) noexcept
    : calls(all),
      operation(call),
      attempt_timer(
          [](base::Timer&, void* self, base::TimePoint) {
            auto& details = *static_cast<CallDetails*>(self);
            details.owner_.attempt_timed_out(details);
          },
          this),
      owner_(owner),
      ended_(ended) {
  task.details = this;
}

Status CallDetails::start_on(ClientConnection& connection) {
  // The service config may have come while the call waited.
  if (!early_error.is_ok()) return fail(std::move(early_error.set_may_have_run(false))), Status();
  Status status = connection.start(operation, message, &metadata);
  if (!status.is_ok()) return status.set_may_have_run(false), status;
  if (response_info != nullptr || interception.started > 0) peer = connection.peer();
  if (operation.one_way) {
    ended_.push(operation);
  } else if (attempt_timeout > base::Duration::zero()) {
    owner_.attempt_started(*this);
  }
  return {};
}

void CallDetails::rules_changed() { owner_.rules_changed(*this); }

void CallDetails::fail(Status status) {
  operation.status = std::move(status);
  ended_.push(operation);
}

}  // namespace trunkline::client
