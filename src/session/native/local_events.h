// SPDX-License-Identifier: MIT
// LocalEvents: events that do not come from a frame, such as a deadline that has passed, until they are handed out.
#pragma once

#include "session/session.h"

#include <cstddef>
#include <vector>

namespace trunkline::session::native {

struct LocalEvent {
  EventType type;
  CallId id;
  void* context;
  Status status;
};

/// A queue, first in, first out. Holds no event of a call that drop() has been called for.
class LocalEvents {
 public:
  /// `owner` outlives the object.
  explicit LocalEvents(SessionOwner& owner) noexcept : owner_(owner) {}

  bool empty() const noexcept { return taken_ == events_.size(); }
  void push(LocalEvent event) { events_.push_back(std::move(event)); }
  /// Queues the event and wakes the owner, because no call into the session is under way.
  void notify(LocalEvent event);
  /// Needs !empty().
  LocalEvent pop() noexcept;
  /// The layer above is done with the call: drops its events.
  void drop(CallId id);

 private:
  void rewind_if_empty() noexcept;

  SessionOwner& owner_;
  std::vector<LocalEvent> events_;
  std::size_t taken_ = 0;
};

}  // namespace trunkline::session::native
