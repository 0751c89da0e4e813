// SPDX-License-Identifier: MIT
// LocalEvents: events that do not come from a frame, such as a deadline that has passed, until they are handed out.
#pragma once

#include "base/id_hash.h"
#include "session/session.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace trunkline::session {

struct LocalEvent {
  EventType type;
  CallId id;
  void* context;
  Status status;
};

/// The queue is first in, first out. It holds no event of a call for which drop() has been called. The cost of each
/// function does not depend on the number of events, even if thousands of deadlines pass at once.
class LocalEvents {
 public:
  /// `owner` outlives the object.
  explicit LocalEvents(SessionOwner& owner) noexcept : owner_(owner) {}

  bool empty() const noexcept { return size_ == 0; }
  void push(LocalEvent event);
  /// Queues the event and wakes the owner, because no call into the session is under way.
  void notify(LocalEvent event);
  /// Takes the oldest event. Needs !empty().
  LocalEvent pop() noexcept;
  /// The layer above is done with the call: drops its events. Returns the status of its end, if that is among them, and
  /// otherwise ok.
  Status drop(CallId id);
  /// Returns how many events pop() and drop() have looked at so far.
  std::uint64_t steps() const noexcept { return steps_; }

 private:
  /// Up to this many events, dropped ones among them, are searched one after the other. If there are more, an index is
  /// built.
  static constexpr std::size_t most_searched = 32;
  static constexpr std::size_t none = SIZE_MAX;

  struct Entry {
    LocalEvent event;
    /// The index keeps the position of the previous event of the same call here.
    std::size_t previous = none;
    bool is_dropped = false;
  };

  void add_to_index(std::size_t position);
  void drop_at(std::size_t position, Status& end) noexcept;
  void rewind_if_empty() noexcept;

  SessionOwner& owner_;
  std::vector<Entry> entries_;
  std::size_t taken_ = 0;
  /// Counts the events that were neither taken nor dropped.
  std::size_t size_ = 0;
  std::uint64_t steps_ = 0;
  bool is_indexed_ = false;
  /// The index has the position of the latest event of each call, which may have been taken.
  std::unordered_map<CallId, std::size_t, base::IdHash> index_;
};

}  // namespace trunkline::session
