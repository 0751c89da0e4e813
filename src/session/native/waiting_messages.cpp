// SPDX-License-Identifier: MIT
// Links and unlinks calls whose messages wait.
#include "session/native/waiting_messages.h"

namespace trunkline::session::native {

void WaitingMessages::add(CallState& call, Queue queue) noexcept {
  Ends& ends = ends_of(queue);
  call.waiting = {.next = nullptr, .previous = ends.tail, .queue = queue, .is_timed = false};
  (ends.tail != nullptr ? ends.tail->waiting.next : ends.head) = &call;
  ends.tail = &call;
  ++size_;
}

void WaitingMessages::remove(CallState& call) noexcept {
  const WaitingPlace& place = call.waiting;
  Ends& ends = ends_of(place.queue);
  (place.previous != nullptr ? place.previous->waiting.next : ends.head) = place.next;
  (place.next != nullptr ? place.next->waiting.previous : ends.tail) = place.previous;
  --size_;
}

void WaitingMessages::start_clocks(base::TimePoint now) noexcept {
  for (CallState* call = ends_of(Queue::requests).tail; call != nullptr && !call->waiting.is_timed;
       call = call->waiting.previous) {
    call->waiting.is_timed = true;
    static_cast<void>(call->assembly.time_waited(now));
  }
}

}  // namespace trunkline::session::native
