// SPDX-License-Identifier: MIT
// Opening and forgetting of calls.
#include "session/native/open_calls.h"

#include <algorithm>
#include <utility>

namespace trunkline::session::native {

OpenCalls::~OpenCalls() {
  table_.for_each([this](CallState& call) { destroy(call); });
}

CallState* OpenCalls::open(CallId id, void* context) {
  CallState* call = CallStatePool::make(id, context, deadlines_.owner, deadlines_.callback);
  call->send_credit = negotiation_.peer().call_credit;
  call->receive_credit = limits_.call_credit_bytes;
  table_.insert(call);
  return call;
}

CallState* OpenCalls::open(const EventInHand& in_hand, void* context) {
  CallState* call = open(in_hand.call().id, context);
  call->receive_credit -= in_hand.credit().call_bytes;
  call->returnable_credit -= in_hand.credit().further_bytes;
  return call;
}

void OpenCalls::forget(CallState& call) {
  table_.erase(&call);
  destroy(call);
}

void OpenCalls::destroy(CallState& call) noexcept {
  path_.remove(call);
  if (call.assembly.is_active()) {
    end_waiting(call);
    release_assembly(call);
  }
  release_metadata(call);
  if (call.is_refused) --refused_;
  CallStatePool::free(&call);
}

void OpenCalls::retain_metadata(CallState& call, std::size_t bytes) noexcept {
  call.retained_bytes = bytes;
  memory_.retain_metadata(bytes);
}

void OpenCalls::release_metadata(CallState& call) noexcept {
  if (call.retained_bytes != 0) memory_.release_metadata(std::exchange(call.retained_bytes, 0));
  call.pending.reset();
}

void OpenCalls::drop_assembly(CallState& call) {
  if (!call.assembly.is_active()) return;
  const std::size_t withheld = end_waiting(call);
  release_assembly(call);
  credit_.return_call(call, static_cast<std::int64_t>(withheld));
}

void OpenCalls::release_assembly(CallState& call) noexcept {
  if (call.assembly.is_admitted()) memory_.release_message(call.assembly.room());
  call.assembly.reset();
}

void OpenCalls::admit_waiting() {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    CallState& call = **next;
    if (call.returnable_credit < 0) {
      ++next;
      continue;
    }
    if (!memory_.try_retain_message(call.assembly.room())) return;
    const std::size_t withheld = call.assembly.filled();
    call.assembly.admit();
    next = waiting_.erase(next);
    credit_.drop_waiting(withheld);
    credit_.return_call(call, static_cast<std::int64_t>(withheld));
  }
}

std::size_t OpenCalls::end_waiting(CallState& call) {
  if (!call.assembly.is_waiting()) return 0;
  call.assembly.end_waiting();
  waiting_.erase(std::find(waiting_.begin(), waiting_.end(), &call));
  credit_.drop_waiting(call.assembly.filled());
  return call.assembly.filled();
}

void OpenCalls::refuse_rest(CallState& call) noexcept {
  call.peer_has_ended = !call.takes_more();
  call.is_refused = true;
  ++refused_;
  drop_assembly(call);
  call.deadline.cancel();
}

}  // namespace trunkline::session::native
