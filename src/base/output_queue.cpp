// SPDX-License-Identifier: MIT
// Grows, gathers and releases queued output.
#include "base/output_queue.h"

#include <algorithm>

namespace trunkline::base {

namespace {
constexpr std::size_t first_block_bytes = 4 * 1024;
constexpr std::size_t block_bytes = 64 * 1024;
}  // namespace

void OutputQueue::grow(std::size_t size) {
  // A quiet connection responds from a small block; one that writes much gets large blocks.
  const std::size_t wanted =
      std::max(size, bytes_ == 0 && size <= first_block_bytes / 2 ? first_block_bytes : block_bytes);
  reserve_segments(1);
  Block* block = Block::allocate(wanted);
  release_tail();
  tail_block_ = block;
  tail_ = block->data();
  tail_end_ = tail_ + block->capacity();
  open_segment_ = false;
}

void OutputQueue::reserve_segments(std::size_t count) {
  const std::size_t least = segments_.size() + count;
  if (segments_.capacity() < least) segments_.reserve(std::max(least, 2 * segments_.capacity()));
}

void OutputQueue::open(std::size_t size) noexcept {
  tail_block_->retain();
  segments_.push_back({tail_block_, tail_, size});
  open_segment_ = true;
}

void OutputQueue::append(ByteSpan bytes) {
  if (bytes.empty()) return;
  std::memcpy(reserve(bytes.size()), bytes.data(), bytes.size());
  commit(bytes.size());
}

void OutputQueue::append(Slice slice) {
  if (slice.size() < copy_limit) return append(slice.bytes());
  reserve_segments(2);
  Block* block = slice.block();
  if (block != nullptr) block->retain();
  segments_.push_back({block, slice.data(), slice.size()});
  bytes_ += slice.size();
  open_segment_ = false;
}

std::size_t OutputQueue::gather(std::span<ByteSpan> out) const noexcept {
  const std::size_t count = std::min(out.size(), segments_.size() - head_);
  for (std::size_t i = 0; i < count; ++i) out[i] = {segments_[head_ + i].data, segments_[head_ + i].size};
  return count;
}

void OutputQueue::consume(std::size_t size) noexcept {
  bytes_ -= size;
  while (size > 0) {
    Segment& segment = segments_[head_];
    const std::size_t part = std::min(size, segment.size);
    segment.data += part;
    segment.size -= part;
    size -= part;
    taken_of_front_ += part;
    if (segment.size > 0) break;
    taken_of_front_ = 0;
    if (segment.block != nullptr) segment.block->release();
    ++head_;
  }
  if (bytes_ == 0) {
    clear();
  } else if (head_ >= 64 && head_ * 2 >= segments_.size()) {
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
}

void OutputQueue::clear() noexcept {
  for (; head_ < segments_.size(); ++head_) {
    if (segments_[head_].block != nullptr) segments_[head_].block->release();
  }
  segments_.clear();
  head_ = 0;
  bytes_ = taken_of_front_ = 0;
  open_segment_ = false;
  release_tail();
}

void OutputQueue::release_tail() noexcept {
  if (tail_block_ != nullptr) tail_block_->release();
  tail_block_ = nullptr;
  tail_ = tail_end_ = nullptr;
}

}  // namespace trunkline::base
