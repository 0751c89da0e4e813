// SPDX-License-Identifier: MIT
// Block: allocates reference-counted memory, and recycles it in lists of each thread.
#include "base/block_pool.h"

#include <trunkline/slice.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define TRUNKLINE_POOL_BLOCKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRUNKLINE_POOL_BLOCKS 0
#endif
#endif
#ifndef TRUNKLINE_POOL_BLOCKS
#define TRUNKLINE_POOL_BLOCKS 1
#endif

namespace trunkline {

struct BlockAccess {
  static constexpr std::uint32_t smallest_bits = 6;
  static constexpr std::uint32_t largest_bits = 20;
  static constexpr std::uint32_t size_classes = largest_bits - smallest_bits + 1;
  static constexpr std::uint32_t no_class = size_classes;
  /// The limit of a list, for each size class and thread: this many blocks or this many bytes, whichever is less.
  static constexpr std::size_t most_free_blocks = 1024;
  static constexpr std::size_t most_free_bytes = std::size_t{4} << 20;
  static constexpr std::size_t header_bytes = (sizeof(Block) + 15) & ~std::size_t{15};
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= 16, "data is aligned to 16 only if operator new's memory is");

  static constexpr std::size_t class_bytes(std::uint32_t size_class) {
    return std::size_t{1} << (size_class + smallest_bits);
  }
  static constexpr std::size_t most_free(std::uint32_t size_class) {
    return std::min(most_free_blocks, most_free_bytes / class_bytes(size_class));
  }
  static std::uint32_t class_of(std::size_t size) noexcept {
    // AddressSanitizer finds an overrun by one byte only if blocks have the exact size.
    if (!TRUNKLINE_POOL_BLOCKS || size > class_bytes(size_classes - 1)) return no_class;
    return size <= class_bytes(0) ? 0 : static_cast<std::uint32_t>(std::bit_width(size - 1)) - smallest_bits;
  }

  static Block* create(std::size_t capacity, std::uint32_t size_class) {
    if (capacity > SIZE_MAX - header_bytes) throw std::bad_alloc();
    auto* block = new (::operator new(header_bytes + capacity)) Block();
    block->size_class_ = size_class;
    reset(*block, capacity);
    return block;
  }
  static void reset(Block& block, std::size_t capacity) noexcept {
    block.references_.store(1, std::memory_order_relaxed);
    block.data_ = reinterpret_cast<std::byte*>(&block) + header_bytes;
    block.capacity_ = capacity;
    block.release_ = nullptr;
    block.owner_ = nullptr;
  }
  static void free(Block* block) noexcept {
    block->~Block();
    ::operator delete(block);
  }

  static Block* take_free(std::uint32_t size_class) noexcept;
  static bool keep_free(Block* block) noexcept;
  template <class List>
  static void trim(List& list) noexcept;
  static void free_all() noexcept;
  static bool trim_all() noexcept;
  static void close_pool() noexcept;
};

namespace {

/// The free blocks of a thread by size class, linked through Block::owner_. Trivial to destroy, so that it can still be
/// read after the thread's other thread-local objects were destroyed.
struct Pool {
  enum class State : std::uint8_t { fresh, open, closed };
  struct List {
    Block* first = nullptr;
    std::size_t size = 0;
    /// The least size of the list since the last trim(): so many blocks were not needed.
    std::size_t least = 0;
  };
  std::array<List, BlockAccess::size_classes> lists{};
  State state = State::fresh;
};
constinit thread_local Pool pool;

/// Frees the pool when the thread ends. Blocks that are released later go straight back to the system.
struct PoolCloser {
  ~PoolCloser() { BlockAccess::close_pool(); }
  void open() noexcept { pool.state = Pool::State::open; }
};
thread_local PoolCloser pool_closer;

}  // namespace

Block* BlockAccess::take_free(std::uint32_t size_class) noexcept {
  Pool::List& list = pool.lists[size_class];
  Block* block = list.first;
  if (block == nullptr) return nullptr;
  list.first = static_cast<Block*>(block->owner_);
  list.least = std::min(list.least, --list.size);
  return block;
}

bool BlockAccess::keep_free(Block* block) noexcept {
  Pool& mine = pool;
  if (mine.state != Pool::State::open) {
    if (mine.state == Pool::State::closed) return false;
    // The first use registers the destructor of `pool_closer` for this thread.
    pool_closer.open();
  }
  Pool::List& list = mine.lists[block->size_class_];
  if (list.size >= most_free(block->size_class_)) return false;
  block->owner_ = list.first;
  list.first = block;
  ++list.size;
  return true;
}

template <class List>
void BlockAccess::trim(List& list) noexcept {
  for (; list.least > 0; --list.least, --list.size) {
    Block* const block = list.first;
    list.first = static_cast<Block*>(block->owner_);
    free(block);
  }
  list.least = list.size;
}

void BlockAccess::free_all() noexcept {
  for (Pool::List& list : pool.lists) {
    list.least = list.size;
    trim(list);
  }
}

bool BlockAccess::trim_all() noexcept {
  bool keeps_any = false;
  for (Pool::List& list : pool.lists) {
    trim(list);
    keeps_any = keeps_any || list.size > 0;
  }
  return keeps_any;
}

void BlockAccess::close_pool() noexcept {
  pool.state = Pool::State::closed;
  free_all();
}

void base::free_block_pool() noexcept { BlockAccess::free_all(); }

bool base::trim_block_pool() noexcept { return BlockAccess::trim_all(); }

Block* Block::allocate(std::size_t size) {
  const std::uint32_t size_class = BlockAccess::class_of(size);
  if (size_class == BlockAccess::no_class) return BlockAccess::create(size, size_class);
  const std::size_t capacity = BlockAccess::class_bytes(size_class);
  if (Block* block = BlockAccess::take_free(size_class)) {
    BlockAccess::reset(*block, capacity);
    return block;
  }
  return BlockAccess::create(capacity, size_class);
}

Block* Block::adopt(void* memory, std::size_t size, void (*release)(void* owner), void* owner) {
  Block* block = allocate(0);
  block->data_ = static_cast<std::byte*>(memory);
  block->capacity_ = size;
  block->release_ = release;
  block->owner_ = owner;
  return block;
}

void Block::destroy() noexcept {
  if (release_ != nullptr) release_(owner_);
  if (size_class_ == BlockAccess::no_class || !BlockAccess::keep_free(this)) BlockAccess::free(this);
}

}  // namespace trunkline
