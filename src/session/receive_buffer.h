// SPDX-License-Identifier: MIT
// ReceiveBuffer: bytes from the transport until they are decoded, and the shortcut for long bodies.
#pragma once

#include <trunkline/slice.h>

#include <array>
#include <cstddef>

namespace trunkline::session {

/// Reads as much as one block holds. When a long body is incomplete, its rest is read straight to its destination
/// (expect_body()) without a copy, and what follows it into the buffer with the same read. Between batches it has a
/// block only for what is buffered.
class ReceiveBuffer {
 public:
  /// `read_bytes` 0: unbuffered. It then asks the transport only for what the decoder needs (need()).
  explicit ReceiveBuffer(std::size_t read_bytes) noexcept : read_bytes_(read_bytes) {}
  ~ReceiveBuffer() { reset(); }
  ReceiveBuffer(const ReceiveBuffer&) = delete;
  ReceiveBuffer& operator=(const ReceiveBuffer&) = delete;

  std::size_t prepare(std::array<MutableByteSpan, 2>& out);
  void commit(std::size_t size) noexcept;

  const std::byte* data() const noexcept { return begin_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }
  Block* block() const noexcept { return block_; }
  /// Memory for what is buffered: a whole block, where that is too much to be moved (release_unused()).
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
  /// Bytes of the body that have not arrived yet.
  std::size_t body_missing() const noexcept { return body_missing_; }

 private:
  /// A rest is left where it is in a block shorter than this, and where it is more than this share of its block.
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

}  // namespace trunkline::session
