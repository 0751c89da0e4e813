// SPDX-License-Identifier: MIT
// VectorQueue: a first-in, first-out queue that keeps its memory.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace trunkline::base {

/// A queue whose memory grows to at most twice the largest number of items held at a time, and is kept until
/// destruction. A popped item leaves nothing behind.
template <class T>
class VectorQueue {
 public:
  bool empty() const noexcept { return first_ == items_.size(); }
  std::size_t size() const noexcept { return items_.size() - first_; }
  auto begin() const noexcept { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const noexcept { return items_.end(); }
  /// Return the first and the last item. The queue must not be empty.
  T& front() noexcept { return items_[first_]; }
  T& back() noexcept { return items_.back(); }

  void push_back(T item) {
    // The items move down at most once for as many pops, so that a push takes amortised constant time.
    if (items_.size() == items_.capacity() && first_ * 2 >= items_.size() && first_ > 0) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    items_.push_back(std::move(item));
  }
  /// Removes and returns the first item; the queue must not be empty.
  T pop_front() {
    T item = std::exchange(items_[first_], T());
    if (++first_ == items_.size()) clear();
    return item;
  }
  void clear() noexcept {
    items_.clear();
    first_ = 0;
  }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;
};

}  // namespace trunkline::base
