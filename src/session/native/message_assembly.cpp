// SPDX-License-Identifier: MIT
// Sizes and memory of messages in chunks.
#include "session/native/message_assembly.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace trunkline::session::native {

void MessageAssembly::begin(const Description& message) {
  reset();
  block_ = Block::allocate(message.total);
  message_ = message;
  is_admitted_ = true;
}

void MessageAssembly::begin_waiting(const Description& message) {
  reset();
  block_ = Block::allocate(0);
  message_ = message;
  is_waiting_ = true;
}

void MessageAssembly::admit() {
  if (block_->capacity() < message_.total) grow(message_.total);
  is_waiting_ = false;
  is_admitted_ = true;
}

/// To twice the size at least: otherwise short chunks would cause a copy of all bytes for each.
void MessageAssembly::grow(std::size_t capacity) {
  Block* const block = Block::allocate(std::min(std::max(capacity, 2 * filled_), message_.total));
  if (filled_ > 0) std::memcpy(block->data(), block_->data(), filled_);
  block_->release();
  block_ = block;
}

Status MessageAssembly::check_chunk(std::size_t size, bool last) const {
  if (last ? size == missing() : size <= missing()) return {};
  return {StatusCode::internal, "receive message: chunks of " + std::to_string(filled_ + size) +
                                    " bytes do not make up message_bytes " + std::to_string(message_.total)};
}

Slice MessageAssembly::take() noexcept {
  Block* block = std::exchange(block_, nullptr);
  Slice message(block, block->data(), message_.total);
  reset();
  return message;
}

void MessageAssembly::reset() noexcept {
  if (block_ != nullptr) block_->release();
  block_ = nullptr;
  message_ = {};
  filled_ = 0;
  is_waiting_ = is_admitted_ = false;
  asked_first_ = {};
}

}  // namespace trunkline::session::native
