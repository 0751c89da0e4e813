// SPDX-License-Identifier: MIT
// Opens and forgets calls.
#include "session/native/open_calls.h"

#include <algorithm>
#include <utility>

namespace trunkline::session::native {

namespace {

/// Returns what a request that has waited for `time` counts as. In the end it waits no more than other messages, so
/// that it is received whatever handlers hold, and whatever else waits.
constexpr MessageUse use_after(base::Duration time) noexcept {
  if (time < std::chrono::seconds(1)) return MessageUse::request;
  return time < std::chrono::seconds(10) ? MessageUse::late_request : MessageUse::of_open_call;
}

}  // namespace

OpenCalls::~OpenCalls() {
  table_.for_each([this](CallState& call) { destroy(call); });
}

CallState* OpenCalls::open(CallId id, void* context) {
  table_.make_room();
  CallState* call = CallStatePool::make(id, context, deadlines_.owner, deadlines_.callback);
  call->send_credit = negotiation_.peer().call_credit;
  call->receive_credit = limits_.call_credit_bytes;
  table_.insert(call);
  return call;
}

CallState* OpenCalls::open(const CurrentEvent& current, void* context) {
  CallState* call = open(current.call().id, context);
  call->receive_credit -= current.credit().call_bytes;
  call->returnable_credit -= current.credit().further_bytes;
  return call;
}

void OpenCalls::forget(CallState& call) {
  if (call.pending != nullptr) owner_.on_call_dropped(call.id);
  table_.erase(&call);
  destroy(call);
}

void OpenCalls::destroy(CallState& call) noexcept {
  path_.remove(call);
  if (call.assembly.is_active()) {
    const ReceiveCredit::Waiting waiting = end_waiting(call);
    release_assembly(call);
    try {
      credit_.drop_waiting(waiting);
    } catch (...) {
      // There is no memory for the frame. The credit remains to be returned, with what is returned next.
    }
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
  const ReceiveCredit::Waiting waiting = end_waiting(call);
  release_assembly(call);
  credit_.drop_waiting(waiting);
  credit_.return_call(call, static_cast<std::int64_t>(waiting.bytes));
}

void OpenCalls::release_assembly(CallState& call) noexcept {
  if (call.assembly.is_admitted()) memory_.release_message(call.assembly.room(), call.assembly.room_left());
  call.assembly.reset();
}

bool OpenCalls::admit_waiting(base::TimePoint now) {
  using Queue = WaitingMessages::Queue;
  shortage_ = MemoryShare::Shortage::nothing;
  const std::size_t before = waiting_.size();
  waiting_.start_clocks(now);
  const auto admit_all = [&] {
    CallState* call = nullptr;
    const auto use = [&] { return use_after(call->assembly.time_waited(now)); };
    while ((call = waiting_.first(Queue::requests)) != nullptr && use() == MessageUse::of_open_call)
      if (!try_admit(*call, MessageUse::of_open_call)) return;
    while ((call = waiting_.first(Queue::of_open_calls)) != nullptr) {
      if (call->returnable_credit < 0) {
        waiting_.move(*call, Queue::behind_unread);
      } else if (!try_admit(*call, MessageUse::of_open_call)) {
        return;
      }
    }
    while ((call = waiting_.first(Queue::requests)) != nullptr)
      if (!try_admit(*call, use())) return;
  };
  admit_all();
  return waiting_.size() < before;
}

bool OpenCalls::try_admit(CallState& call, MessageUse use) {
  if (!memory_.try_retain_message(call.assembly.room(), use)) {
    shortage_ = std::max(shortage_, memory_.shortage());
    return false;
  }
  const ReceiveCredit::Waiting waiting = waiting_of(call);
  waiting_.remove(call);
  call.assembly.admit();
  memory_.count_long_message(call.assembly.filled());
  credit_.drop_waiting(waiting);
  credit_.return_call(call, static_cast<std::int64_t>(waiting.bytes));
  return true;
}

ReceiveCredit::Waiting OpenCalls::end_waiting(CallState& call) noexcept {
  if (!call.assembly.is_waiting()) return {};
  call.assembly.end_waiting();
  waiting_.remove(call);
  return waiting_of(call);
}

void OpenCalls::refuse_rest(CallState& call) {
  call.peer_has_ended = !call.takes_more();
  call.is_refused = true;
  ++refused_;
  call.deadline.cancel();
  drop_assembly(call);
}

}  // namespace trunkline::session::native
