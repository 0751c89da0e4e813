// SPDX-License-Identifier: MIT
// Queueing and dropping of local events.
#include "session/native/local_events.h"

#include <algorithm>
#include <utility>

namespace trunkline::session::native {

void LocalEvents::notify(LocalEvent event) {
  push(std::move(event));
  owner_.on_session_wake();
}

LocalEvent LocalEvents::pop() noexcept {
  LocalEvent event = std::move(events_[taken_++]);
  rewind_if_empty();
  return event;
}

void LocalEvents::drop(CallId id) {
  const auto first = events_.begin() + static_cast<std::ptrdiff_t>(taken_);
  events_.erase(std::remove_if(first, events_.end(), [id](const LocalEvent& event) { return event.id == id; }),
                events_.end());
  rewind_if_empty();
}

void LocalEvents::rewind_if_empty() noexcept {
  if (!empty()) return;
  events_.clear();
  taken_ = 0;
}

}  // namespace trunkline::session::native
