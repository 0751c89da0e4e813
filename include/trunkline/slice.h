// SPDX-License-Identifier: MIT
// Block, Slice and BufferWriter: reference-counted memory, views that keep it alive, and bytes that grow into it.
#pragma once

#include <trunkline/detail/export.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline {

using ByteSpan = std::span<const std::byte>;
using MutableByteSpan = std::span<std::byte>;

inline ByteSpan as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteSpan bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reference-counted memory, created by Block::allocate (from per-thread pools for sizes up to 1 MiB) or Block::adopt.
/// The count is atomic: a reference may be dropped on any thread. Only the creator writes the bytes.
class TRUNKLINE_API Block {
 public:
  /// Returns at least `size` bytes, uninitialized and aligned to 16. Sizes up to 1 MiB are rounded up to a power of two
  /// of at least 64 bytes; the thread that drops the last reference recycles them (not under AddressSanitizer). Throws
  /// std::bad_alloc.
  static Block* allocate(std::size_t size);
  /// Wraps foreign memory; `release(owner)` is called once, on the thread that drops the last reference. Throws
  /// std::bad_alloc; the memory stays the caller's then.
  static Block* adopt(void* memory, std::size_t size, void (*release)(void* owner), void* owner);

  std::byte* data() noexcept { return data_; }
  std::size_t capacity() const noexcept { return capacity_; }
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.load(std::memory_order_acquire) == 1 || references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }
  /// Returns true if the caller holds the only reference, so the bytes may be overwritten.
  bool unique() const noexcept { return references_.load(std::memory_order_acquire) == 1; }

 private:
  Block() = default;
  ~Block() = default;
  void destroy() noexcept;

  std::atomic<std::uint32_t> references_{1};
  std::uint32_t size_class_ = 0;
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  void (*release_)(void*) = nullptr;
  void* owner_ = nullptr;
  friend struct BlockAccess;
};

/// An immutable view of bytes that keeps its Block alive. Copying it increments the count and copies no bytes. A slice
/// without a block refers to static memory or is empty.
class TRUNKLINE_API Slice {
 public:
  Slice() noexcept = default;
  /// Takes over one reference to `block`.
  Slice(Block* block, const std::byte* data, std::size_t size) noexcept : block_(block), data_(data), size_(size) {}
  Slice(const Slice& other) noexcept : block_(other.block_), data_(other.data_), size_(other.size_) {
    if (block_ != nullptr) block_->retain();
  }
  Slice(Slice&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Slice& operator=(Slice other) noexcept {
    std::swap(block_, other.block_), std::swap(data_, other.data_), std::swap(size_, other.size_);
    return *this;
  }
  ~Slice() {
    if (block_ != nullptr) block_->release();
  }

  /// Returns a slice with a copy of the bytes in a block of its own.
  static Slice copy_of(ByteSpan bytes);
  static Slice copy_of(std::string_view text) { return copy_of(as_bytes(text)); }
  /// Takes over the string. Its bytes are copied only if they are few.
  static Slice from_string(std::string text);
  /// Returns a slice that refers to memory that lives as long as the program.
  static Slice from_static(std::string_view text) noexcept {
    return {nullptr, reinterpret_cast<const std::byte*>(text.data()), text.size()};
  }
  /// Returns a slice that refers to a part of `block`, with a reference of its own.
  static Slice share(Block* block, const std::byte* data, std::size_t size) noexcept {
    if (block != nullptr) block->retain();
    return {block, data, size};
  }

  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  ByteSpan bytes() const noexcept { return {data_, size_}; }
  std::string_view text() const noexcept { return as_text(bytes()); }
  std::string to_string() const { return std::string(text()); }
  Block* block() const noexcept { return block_; }

  /// Returns the part from `offset`, at most `size` bytes long; both are clamped to the slice.
  Slice subslice(std::size_t offset, std::size_t size = static_cast<std::size_t>(-1)) const noexcept;
  void remove_prefix(std::size_t count) noexcept { data_ += count, size_ -= count; }

  friend bool operator==(const Slice& a, const Slice& b) noexcept {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data_, b.data_, a.size_) == 0);
  }

 private:
  Block* block_ = nullptr;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Contiguous bytes that grow as they are written and become a Slice without a copy. One thread at a time may use it.
class TRUNKLINE_API BufferWriter {
 public:
  explicit BufferWriter(std::size_t capacity = 0) {
    if (capacity > 0) reserve(capacity);
  }
  ~BufferWriter() {
    if (block_ != nullptr) block_->release();
  }
  BufferWriter(const BufferWriter&) = delete;
  BufferWriter& operator=(const BufferWriter&) = delete;

  /// Returns at least `size` writable bytes at the end. Call advance() with the number of bytes written.
  MutableByteSpan prepare(std::size_t size) {
    if (capacity_ - size_ < size) reserve(size_ + size);
    return {data_ + size_, capacity_ - size_};
  }
  void advance(std::size_t size) noexcept { size_ += size; }
  void append(ByteSpan bytes) {
    if (bytes.empty()) return;
    std::memcpy(prepare(bytes.size()).data(), bytes.data(), bytes.size());
    advance(bytes.size());
  }
  void append(std::string_view text) { append(as_bytes(text)); }
  /// Appends the bytes of the slice. A large slice is shared instead of copied if the writer is empty, unless its block
  /// is much larger.
  void append(const Slice& slice);
  void push_back(std::byte value) { prepare(1)[0] = value, advance(1); }

  std::size_t size() const noexcept { return size_; }
  ByteSpan bytes() const noexcept { return {data_, size_}; }
  void clear() noexcept { truncate(0); }
  /// Drops everything after the first `size` bytes; `size` is at most size().
  void truncate(std::size_t size) noexcept {
    size_ = size;
    if (is_shared_) capacity_ = size;
  }
  /// Returns the bytes written; the writer is empty afterwards.
  Slice take() noexcept;

 private:
  void reserve(std::size_t capacity);

  Block* block_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  // The block belongs to a slice and is never written to: capacity_ equals size_.
  bool is_shared_ = false;
};

}  // namespace trunkline
