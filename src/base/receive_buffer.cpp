// SPDX-License-Identifier: MIT
// Takes and releases the memory for bytes that are received.
#include "base/receive_buffer.h"

#include <algorithm>
#include <new>

namespace trunkline::base {

namespace {
/// This many bytes are read together with the rest of a body that fills a read by itself. They have room for the next
/// header, and are so few that a following long body is read in place as well.
constexpr std::size_t tail_bytes = 512;
}  // namespace

std::size_t ReceiveBuffer::prepare(std::array<MutableByteSpan, 2>& out) {
  std::size_t count = 0;
  std::size_t wanted = read_bytes_;
  if (body_missing_ > 0) {
    out[count++] = {body_, body_missing_};
    // One system call for many messages saves more than copying the bytes cut off at the end costs.
    wanted = body_missing_ + tail_bytes < read_bytes_ ? read_bytes_ - body_missing_ : std::min(wanted, tail_bytes);
    if (wanted == 0) return count;
  } else if (read_bytes_ == 0) {
    wanted = needed_ > size() ? needed_ - size() : 1;
  }
  make_room(std::max(wanted, needed_ > size() && body_missing_ == 0 ? needed_ - size() : 0));
  const std::size_t room = static_cast<std::size_t>(limit_ - end_);
  out[count++] = {end_, body_missing_ > 0 || read_bytes_ == 0 ? std::min(room, wanted) : room};
  return count;
}

void ReceiveBuffer::make_room(std::size_t size) {
  if (block_ != nullptr && begin_ == end_ && block_->unique()) begin_ = end_ = block_->data();
  // Less than half a block is not worth a read, unless no more is wanted.
  const std::size_t room = static_cast<std::size_t>(limit_ - end_);
  if (block_ != nullptr && room >= size) return;
  if (block_ != nullptr && room >= read_bytes_ / 2 && room > 0 && needed_ <= this->size() + room) return;
  const std::size_t buffered = this->size();
  // The block grows by at least half: otherwise a peer that sends byte by byte would cause a copy of all bytes for each
  // byte.
  move_to(Block::allocate(std::max(buffered + std::max(size, buffered / 2), read_bytes_)));
}

void ReceiveBuffer::move_to(Block* block) noexcept {
  const std::size_t buffered = size();
  if (buffered > 0) std::memcpy(block->data(), begin_, buffered);
  if (block_ != nullptr) block_->release();
  block_ = block;
  begin_ = block->data();
  end_ = begin_ + buffered;
  limit_ = block->data() + block->capacity();
}

void ReceiveBuffer::commit(std::size_t size) noexcept {
  const std::size_t direct = std::min(size, body_missing_);
  body_ += direct;
  body_missing_ -= direct;
  end_ += size - direct;
}

void ReceiveBuffer::expect_body(std::byte* target, std::size_t size) noexcept {
  const std::size_t buffered = std::min(size, this->size());
  if (buffered > 0) std::memcpy(target, begin_, buffered);
  begin_ += buffered;
  body_ = target + buffered;
  body_missing_ = size - buffered;
}

void ReceiveBuffer::release_unused() noexcept {
  if (block_ == nullptr) return;
  if (begin_ == end_) return release_block();
  if (is_kept()) return;
  try {
    move_to(Block::allocate(size()));
  } catch (const std::bad_alloc&) {  // The rest stays where it is.
  }
}

void ReceiveBuffer::release_block() noexcept {
  if (block_ != nullptr) block_->release();
  block_ = nullptr;
  begin_ = end_ = limit_ = nullptr;
}

void ReceiveBuffer::reset() noexcept {
  release_block();
  body_ = nullptr;
  body_missing_ = 0;
}

}  // namespace trunkline::base
