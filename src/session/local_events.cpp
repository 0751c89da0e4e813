// SPDX-License-Identifier: MIT
// Queues and drops local events.
#include "session/local_events.h"

#include <utility>

namespace trunkline::session {

void LocalEvents::push(LocalEvent event) {
  entries_.push_back({std::move(event)});
  ++size_;
  if (is_indexed_) add_to_index(entries_.size() - 1);
}

void LocalEvents::notify(LocalEvent event) {
  push(std::move(event));
  owner_.on_session_wake();
}

LocalEvent LocalEvents::pop() noexcept {
  for (++steps_; entries_[taken_].is_dropped; ++steps_) ++taken_;
  LocalEvent event = std::move(entries_[taken_++].event);
  --size_;
  rewind_if_empty();
  return event;
}

Status LocalEvents::drop(CallId id) {
  Status end;
  if (!is_indexed_ && entries_.size() - taken_ > most_searched) {
    steps_ += entries_.size() - taken_;
    for (std::size_t i = taken_; i < entries_.size(); ++i) add_to_index(i);
    is_indexed_ = true;
  }
  if (is_indexed_) {
    const auto found = index_.find(id);
    if (found == index_.end()) return end;
    for (std::size_t i = found->second; i != none && i >= taken_; i = entries_[i].previous) drop_at(i, end);
    index_.erase(found);
  } else {
    steps_ += entries_.size() - taken_;
    for (std::size_t i = taken_; i < entries_.size(); ++i) {
      if (entries_[i].event.id == id) drop_at(i, end);
    }
  }
  rewind_if_empty();
  return end;
}

void LocalEvents::add_to_index(std::size_t position) {
  const auto [latest, is_first] = index_.try_emplace(entries_[position].event.id, position);
  if (!is_first) entries_[position].previous = std::exchange(latest->second, position);
}

void LocalEvents::drop_at(std::size_t position, Status& end) noexcept {
  ++steps_;
  Entry& entry = entries_[position];
  if (std::exchange(entry.is_dropped, true)) return;
  --size_;
  const EventType type = entry.event.type;
  if (type == EventType::cancelled || type == EventType::finished) end = std::move(entry.event.status);
}

void LocalEvents::rewind_if_empty() noexcept {
  if (!empty()) return;
  entries_.clear();
  index_.clear();
  taken_ = 0;
  is_indexed_ = false;
}

}  // namespace trunkline::session
