// SPDX-License-Identifier: MIT
// ByteRing: a bounded first-in, first-out buffer of bytes.
#pragma once

#include <trunkline/slice.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

namespace trunkline::net {

/// A ring that allocates its memory at the first write. It is not thread-safe.
class ByteRing {
 public:
  explicit ByteRing(std::size_t capacity) noexcept : capacity_(std::max<std::size_t>(capacity, 1)) {}

  bool empty() const noexcept { return size_ == 0; }
  bool full() const noexcept { return size_ == capacity_; }

  /// Writes as many bytes as there is room for, and returns their number.
  std::size_t write(std::span<const ByteSpan> from) {
    if (bytes_ == nullptr) bytes_.reset(new std::byte[capacity_]);
    std::size_t total = 0;
    for (ByteSpan span : from) {
      while (!span.empty() && !full()) {
        const std::size_t end = (start_ + size_) % capacity_;
        const std::size_t count = std::min({span.size(), capacity_ - size_, capacity_ - end});
        std::memcpy(bytes_.get() + end, span.data(), count);
        span = span.subspan(count);
        size_ += count;
        total += count;
      }
    }
    return total;
  }

  /// Reads as many bytes as there are, or as fit, and returns their number.
  std::size_t read(std::span<const MutableByteSpan> into) noexcept {
    std::size_t total = 0;
    for (MutableByteSpan span : into) {
      while (!span.empty() && !empty()) {
        const std::size_t count = std::min({span.size(), size_, capacity_ - start_});
        std::memcpy(span.data(), bytes_.get() + start_, count);
        span = span.subspan(count);
        start_ = (start_ + count) % capacity_;
        size_ -= count;
        total += count;
      }
    }
    // Starting again at the front keeps the number of pages in use small.
    if (size_ == 0) start_ = 0;
    return total;
  }

  void clear() noexcept { start_ = size_ = 0; }

 private:
  const std::size_t capacity_;
  std::size_t start_ = 0;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace trunkline::net
