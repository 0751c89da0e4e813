// SPDX-License-Identifier: MIT
// OutputQueue: bytes on their way to the transport, written in place or borrowed from slices.
#pragma once

#include <trunkline/slice.h>

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::base {

/// Small frames are written into shared blocks back to back; large payloads are queued as slices without a copy. An
/// empty queue has no block.
class OutputQueue {
 public:
  OutputQueue() = default;
  ~OutputQueue() { clear(); }
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  /// Below this size a slice is copied: that costs less than a segment of its own in the gathered write.
  static constexpr std::size_t copy_limit = 2 * 1024;

  /// Returns room for `size` contiguous bytes. Call commit() after they have been written, before anything else is
  /// queued. Only reserve() needs memory; commit() does not.
  std::byte* reserve(std::size_t size) {
    if (static_cast<std::size_t>(tail_end_ - tail_) < size) grow(size);
    return tail_;
  }
  [[gnu::always_inline]] void commit(std::size_t size) noexcept {
    if (open_segment_) {
      segments_.back().size += size;
    } else {
      open(size);
    }
    tail_ += size;
    bytes_ += size;
  }
  /// Call this before reserve(): append() of a slice of copy_limit bytes or more after commit() then needs no memory.
  void reserve_slice() { reserve_segments(3); }
  void append(ByteSpan bytes);
  /// Queues the slice itself, unless it is shorter than copy_limit and is copied.
  void append(Slice slice);

  std::size_t gather(std::span<ByteSpan> out) const noexcept;
  void consume(std::size_t size) noexcept;
  void clear() noexcept;

  bool empty() const noexcept { return bytes_ == 0; }
  std::size_t size() const noexcept { return bytes_; }
  /// Counts all of a slice that has been taken in part, because its memory is held until all of it has been taken.
  std::size_t held_bytes() const noexcept { return bytes_ + taken_of_front_; }

 private:
  struct Segment {
    Block* block;
    const std::byte* data;
    std::size_t size;
  };

  void grow(std::size_t size);
  /// Makes room for `count` more segments. One is always left for commit().
  void reserve_segments(std::size_t count);
  void open(std::size_t size) noexcept;
  void release_tail() noexcept;

  std::vector<Segment> segments_;
  std::size_t head_ = 0;
  std::size_t bytes_ = 0;
  std::size_t taken_of_front_ = 0;
  Block* tail_block_ = nullptr;
  std::byte* tail_ = nullptr;
  std::byte* tail_end_ = nullptr;
  /// The last segment ends at tail_ and grows with it.
  bool open_segment_ = false;
};

}  // namespace trunkline::base
