// SPDX-License-Identifier: MIT
// Writes credit frames.
#include "session/native/receive_credit.h"

#include "wire/control.h"

namespace trunkline::session::native {

void ReceiveCredit::grant_connection() {
  if (path_.is_closed()) return;
  path_.write_header(wire::credit_frame(0, returnable_));
  left_ += returnable_;
  returnable_ = 0;
}

void ReceiveCredit::return_call(CallState& call, std::int64_t bytes) {
  if (!call.takes_more()) return;
  call.returnable_credit += bytes;
  if (call.returnable_credit < limits_.call_credit_bytes / 2 || path_.is_closed()) return;
  grant_call(call.id, call.returnable_credit);
  call.receive_credit += call.returnable_credit;
  call.returnable_credit = 0;
}

void ReceiveCredit::grant_call(CallId id, std::int64_t bytes) {
  path_.write_header(wire::credit_frame(id, static_cast<std::uint32_t>(bytes)));
}

}  // namespace trunkline::session::native
