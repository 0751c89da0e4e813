// SPDX-License-Identifier: MIT
// Slice and BufferWriter: make slices, cut them, and grow the buffer that becomes one.
#include <trunkline/slice.h>

#include "base/block_waste.h"

#include <algorithm>
#include <memory>
#include <new>

namespace trunkline {
namespace {

/// Below this many bytes a copy into a pooled block costs less than keeping the string.
constexpr std::size_t smallest_kept_string = 512;
constexpr std::size_t smallest_capacity = 64;
/// Below this many bytes a copy costs less than the memory that a shared block keeps alive.
constexpr std::size_t smallest_shared_slice = 4096;

/// Returns the string that a block keeps in its memory.
std::string* string_in(Block* holder) noexcept { return std::launder(reinterpret_cast<std::string*>(holder->data())); }

void release_string(void* owner) noexcept {
  auto* holder = static_cast<Block*>(owner);
  std::destroy_at(string_in(holder));
  holder->release();
}

}  // namespace

Slice Slice::copy_of(ByteSpan bytes) {
  if (bytes.empty()) return {};
  Block* block = Block::allocate(bytes.size());
  std::memcpy(block->data(), bytes.data(), bytes.size());
  return {block, block->data(), bytes.size()};
}

Slice Slice::from_string(std::string text) {
  if (text.size() < smallest_kept_string) return copy_of(text);
  Block* holder = Block::allocate(sizeof(std::string));
  auto* kept = new (holder->data()) std::string(std::move(text));
  try {
    Block* block = Block::adopt(kept->data(), kept->size(), release_string, holder);
    return {block, block->data(), kept->size()};
  } catch (...) {
    release_string(holder);
    throw;
  }
}

Slice Slice::subslice(std::size_t offset, std::size_t size) const noexcept {
  if (offset >= size_ || size == 0) return {};
  return share(block_, data_ + offset, std::min(size, size_ - offset));
}

void BufferWriter::reserve(std::size_t capacity) {
  // A smaller capacity means that the sum has overflowed.
  if (capacity < size_) throw std::bad_alloc();
  const std::size_t doubled = capacity_ > SIZE_MAX / 2 ? SIZE_MAX : capacity_ * 2;
  Block* grown = Block::allocate(std::max({capacity, doubled, smallest_capacity}));
  if (size_ > 0) std::memcpy(grown->data(), data_, size_);
  if (block_ != nullptr) block_->release();
  block_ = grown;
  data_ = grown->data();
  capacity_ = grown->capacity();
  is_shared_ = false;
}

void BufferWriter::append(const Slice& slice) {
  Block* const block = slice.block();
  const bool is_shareable = block != nullptr && slice.size() >= smallest_shared_slice && !base::wastes_its_block(slice);
  if (size_ > 0 || !is_shareable) return append(slice.bytes());
  block->retain();
  if (block_ != nullptr) block_->release();
  block_ = block;
  data_ = const_cast<std::byte*>(slice.data());
  size_ = capacity_ = slice.size();
  is_shared_ = true;
}

Slice BufferWriter::take() noexcept {
  if (size_ == 0) return {};
  capacity_ = 0;
  is_shared_ = false;
  return {std::exchange(block_, nullptr), std::exchange(data_, nullptr), std::exchange(size_, 0)};
}

}  // namespace trunkline
