// SPDX-License-Identifier: MIT
// ReceiveBuffer: keeps bytes from the transport until they are decoded, and has a shortcut for long bodies.
#pragma once

#include <trunkline/slice.h>

#include <array>
#include <cstddef>

namespace trunkline::base {

/// The buffer reads as much as one block holds. When a long body is incomplete, its rest is read straight to its
/// destination (expect_body()) without a copy, and the same read puts the bytes behind it into the buffer. Between
/// batches the buffer has a block only for what is buffered.
class ReceiveBuffer {
 public:
  /// With `read_bytes` 0 nothing is buffered, and the transport is asked only for what the decoder needs (need()).
  explicit ReceiveBuffer(std::size_t read_bytes) noexcept : read_bytes_(read_bytes) {}
  ~ReceiveBuffer() { reset(); }
  ReceiveBuffer(const ReceiveBuffer&) = delete;
  ReceiveBuffer& operator=(const ReceiveBuffer&) = delete;

  std::size_t prepare(std::array<MutableByteSpan, 2>& out);
  void commit(std::size_t size) noexcept;

  const std::byte* data() const noexcept { return begin_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  Block* block() const noexcept { return block_; }
  /// Returns the memory for what is buffered. It is a whole block if release_unused() leaves the bytes there.
  std::size_t held_bytes() const noexcept { return block_ != nullptr && is_kept() ? block_->capacity() : size(); }
  void consume(std::size_t size) noexcept { begin_ += size; }
  /// The decoder is waiting for `size` bytes at data().
  void need(std::size_t size) noexcept { needed_ = size; }
  /// Called when a batch is done: frees the block if nothing is buffered, and moves a short rest to a small one.
  /// Otherwise a peer that stops amid a frame would hold a whole block by a few bytes.
  void release_unused() noexcept;
  void reset() noexcept;

  /// Directs the next `size` bytes of the stream to `target`. Those that are buffered already are copied there.
  void expect_body(std::byte* target, std::size_t size) noexcept;
  /// Returns how many bytes of the body have not arrived yet.
  std::size_t body_missing() const noexcept { return body_missing_; }

 private:
  /// Buffered bytes are left in a block shorter than this, and in a block of which they are more than this share.
  static constexpr std::size_t least_moved_bytes = 4096;
  static constexpr std::size_t most_moved_share = 8;

  bool is_kept() const noexcept {
    return block_->capacity() < least_moved_bytes || size() > block_->capacity() / most_moved_share;
  }
  void make_room(std::size_t size);
  void move_to(Block* block) noexcept;
  void release_block() noexcept;

  Block* block_ = nullptr;
  std::byte* begin_ = nullptr;
  std::byte* end_ = nullptr;
  std::byte* limit_ = nullptr;
  std::size_t read_bytes_;
  std::size_t needed_ = 16;
  std::byte* body_ = nullptr;
  std::size_t body_missing_ = 0;
};

}  // namespace trunkline::base
