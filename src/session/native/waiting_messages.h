// SPDX-License-Identifier: MIT
// WaitingMessages: the calls of a connection that have begun a message for which there is no room yet.
#pragma once

#include "base/clock.h"
#include "session/native/call_state.h"

#include <array>
#include <cstddef>

namespace trunkline::session::native {

/// The queues are first in, first out, and linked through the calls: the peer chooses how many wait, so that nothing
/// here may cost more for many than for one.
class WaitingMessages {
 public:
  using Queue = WaitingPlace::Queue;

  WaitingMessages() = default;
  WaitingMessages(const WaitingMessages&) = delete;
  WaitingMessages& operator=(const WaitingMessages&) = delete;

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  /// Returns the oldest call of the queue, or null if it is empty.
  CallState* first(Queue queue) const noexcept { return ends_of(queue).head; }
  void add(CallState& call, Queue queue) noexcept;
  /// The call must be in one of the queues.
  void remove(CallState& call) noexcept;
  void move(CallState& call, Queue queue) noexcept {
    remove(call);
    add(call, queue);
  }
  /// Starts the clocks of requests that have been added since the last time: they have waited from `now` on.
  void start_clocks(base::TimePoint now) noexcept;

 private:
  struct Ends {
    CallState* head = nullptr;
    CallState* tail = nullptr;
  };

  Ends& ends_of(Queue queue) noexcept { return ends_[static_cast<std::size_t>(queue)]; }
  const Ends& ends_of(Queue queue) const noexcept { return ends_[static_cast<std::size_t>(queue)]; }

  std::array<Ends, 3> ends_;
  std::size_t size_ = 0;
};

}  // namespace trunkline::session::native
