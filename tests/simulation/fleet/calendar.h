// SPDX-License-Identifier: MIT
// Calendar: what is to happen at points in virtual time, in order.
#pragma once

#include "base/clock.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace trunkline::simulation {

/// A wheel of days of 4 microseconds; what is further away than its half second waits in a heap. Each step costs about
/// the same, however much is planned. Entries of the same time come in the order in which they were added.
template <class Payload>
class Calendar {
 public:
  struct Entry {
    base::TimePoint at;
    std::uint64_t order;
    Payload payload;
    bool operator<(const Entry& other) const noexcept { return at != other.at ? at < other.at : order < other.order; }
    bool operator>(const Entry& other) const noexcept { return other < *this; }
  };

  Calendar() : days_(days, none) {}

  /// Not before the last entry that was taken, and not before the last `limit`.
  void add(base::TimePoint at, const Payload& payload) {
    const Entry entry{at, order_++, payload};
    ++count_;
    const std::int64_t day = day_of(at);
    if (day <= today_) return add_today(entry);
    if (day < today_ + days) return add_to_wheel(entry, day);
    far_.push(entry);
  }
  bool is_empty() const noexcept { return count_ == 0; }
  /// The first entry if it is not after `limit`; else null. Valid until the next call of any function. `announce` is
  /// called with what is planned for the next few microseconds.
  template <class Announce>
  const Entry* first(base::TimePoint limit, Announce announce) {
    const std::int64_t last = day_of(limit);
    while (position_ == due_.size() && today_ < last && count_ != 0) {
      next_day(last);
      for (const Entry& entry : due_) announce(entry.payload);
    }
    return position_ < due_.size() && due_[position_].at <= limit ? &due_[position_] : nullptr;
  }
  /// Takes the entry that first() has returned.
  Payload take() {
    --count_;
    return due_[position_++].payload;
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::int64_t days = 1 << 17;
  static constexpr int day_shift = 12;

  struct Node {
    Entry entry;
    std::uint32_t next;
  };

  static std::int64_t day_of(base::TimePoint at) noexcept {
    return std::chrono::nanoseconds(at.time_since_epoch()).count() >> day_shift;
  }

  void add_today(const Entry& entry) {
    const auto begin = due_.begin() + static_cast<std::ptrdiff_t>(position_);
    due_.insert(std::upper_bound(begin, due_.end(), entry), entry);
  }

  void add_to_wheel(const Entry& entry, std::int64_t day) {
    std::uint32_t node = free_;
    if (node == none) {
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({entry, none});
    } else {
      free_ = nodes_[node].next;
      nodes_[node].entry = entry;
    }
    std::uint32_t& head = days_[static_cast<std::size_t>(day % days)];
    nodes_[node].next = head;
    head = node;
    ++in_wheel_;
  }

  void next_day(std::int64_t last) {
    due_.clear();
    position_ = 0;
    today_ = in_wheel_ == 0 ? std::min(day_of(far_.top().at), last) : today_ + 1;
    while (!far_.empty() && day_of(far_.top().at) < today_ + days) {
      const Entry entry = far_.top();
      far_.pop();
      const std::int64_t day = day_of(entry.at);
      day == today_ ? due_.push_back(entry) : add_to_wheel(entry, day);
    }
    std::uint32_t& head = days_[static_cast<std::size_t>(today_ % days)];
    while (head != none) {
      Node& node = nodes_[head];
      due_.push_back(node.entry);
      const std::uint32_t next = node.next;
      node.next = free_;
      free_ = head;
      head = next;
      --in_wheel_;
    }
    std::sort(due_.begin(), due_.end());
  }

  std::vector<std::uint32_t> days_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = none;
  std::size_t in_wheel_ = 0;
  /// Of today, in order; those before position_ have been taken.
  std::vector<Entry> due_;
  std::size_t position_ = 0;
  std::int64_t today_ = 0;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> far_;
  std::uint64_t order_ = 0;
  std::size_t count_ = 0;
};

}  // namespace trunkline::simulation
