// SPDX-License-Identifier: MIT
// Slab: objects that are known by a number, whose places are used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::simulation {

/// The place that was given back last is used first, so that few are in use and all of them in the cache. References
/// are valid until the next add().
template <class T>
class Slab {
 public:
  std::uint32_t add(const T& value) {
    ++count_;
    if (free_.empty()) {
      values_.push_back(value);
      return static_cast<std::uint32_t>(values_.size() - 1);
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    values_[id] = value;
    return id;
  }
  void remove(std::uint32_t id) {
    --count_;
    free_.push_back(id);
  }
  T& operator[](std::uint32_t id) noexcept { return values_[id]; }
  /// Those that are in use.
  std::size_t count() const noexcept { return count_; }

 private:
  std::vector<T> values_;
  std::vector<std::uint32_t> free_;
  std::size_t count_ = 0;
};

}  // namespace trunkline::simulation
