// SPDX-License-Identifier: MIT
// Where bytes are received to.
#include "session/receive_buffer.h"

#include <algorithm>

namespace trunkline::session {

namespace {
/// Read together with the rest of a body that fills a read by itself: room for the next header, little enough that a
/// following long body is read in place as well.
constexpr std::size_t tail_bytes = 512;
}  // namespace

std::size_t ReceiveBuffer::prepare(std::array<MutableByteSpan, 2>& out) {
  std::size_t count = 0;
  std::size_t wanted = read_bytes_;
  if (body_missing_ > 0) {
    out[count++] = {body_, body_missing_};
    // One system call for many messages is worth more than the copy of what is cut off at the end.
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
  // Half a block is worth reading into; less is not, unless it is all that is wanted.
  const std::size_t room = static_cast<std::size_t>(limit_ - end_);
  if (block_ != nullptr && room >= size) return;
  if (block_ != nullptr && room >= read_bytes_ / 2 && room > 0 && needed_ <= this->size() + room) return;
  const std::size_t kept = this->size();
  // At least half as much again, or a peer whose bytes come one by one would have all of them copied for each.
  Block* block = Block::allocate(std::max(kept + std::max(size, kept / 2), read_bytes_));
  if (kept > 0) std::memcpy(block->data(), begin_, kept);
  if (block_ != nullptr) block_->release();
  block_ = block;
  begin_ = block->data();
  end_ = begin_ + kept;
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

void ReceiveBuffer::rest() noexcept {
  if (block_ == nullptr || begin_ != end_) return;
  block_->release();
  block_ = nullptr;
  begin_ = end_ = limit_ = nullptr;
}

void ReceiveBuffer::reset() noexcept {
  if (block_ != nullptr) block_->release();
  block_ = nullptr;
  begin_ = end_ = limit_ = nullptr;
  body_ = nullptr;
  body_missing_ = 0;
}

}  // namespace trunkline::session
