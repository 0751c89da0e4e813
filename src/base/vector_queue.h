// SPDX-License-Identifier: MIT
// VectorQueue: first in, first out, in memory that it keeps.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace trunkline::base {

/// Its memory grows to at most twice what is held at the same time, and stays. What is popped is destroyed at once.
template <class T>
class VectorQueue {
 public:
  bool empty() const noexcept { return first_ == items_.size(); }
  std::size_t size() const noexcept { return items_.size() - first_; }
  auto begin() const noexcept { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const noexcept { return items_.end(); }

  void push_back(T item) {
    // Moving the rest down at most once for as many pops keeps a push at O(1).
    if (items_.size() == items_.capacity() && first_ * 2 >= items_.size() && first_ > 0) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    items_.push_back(std::move(item));
  }
  /// The first one; it must not be empty.
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
