// SPDX-License-Identifier: MIT
// Checks the sizes of messages in chunks, and takes memory for them.
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

void MessageAssembly::begin_waiting(const Description& message, bool behind_unread) {
  reset();
  block_ = Block::allocate(0);
  message_ = message;
  parts_ = std::make_unique<Parts>();
  is_waiting_ = true;
  began_behind_unread_ = behind_unread;
}

void MessageAssembly::admit() {
  join_parts();
  is_waiting_ = false;
  is_admitted_ = true;
}

/// A part is as long as all before it, up to a limit: little is unused, and nothing is copied until there is room.
std::byte* MessageAssembly::position_in_parts(std::size_t size) {
  constexpr std::size_t longest_part = 64 << 10;
  std::size_t used = filled_ - parts_->full_bytes;
  if (block_->capacity() - used < size) {
    Block* const next = Block::allocate(std::max(size, std::min({filled_, longest_part, missing()})));
    parts_->full.emplace_back(block_, block_->data(), used);
    parts_->full_bytes = filled_;
    block_ = next;
    used = 0;
  }
  return block_->data() + used;
}

/// Moves what has come to a block for the whole message.
void MessageAssembly::join_parts() {
  Block* const whole = Block::allocate(message_.total);
  std::byte* to = whole->data();
  parts_->full.emplace_back(block_, block_->data(), filled_ - parts_->full_bytes);
  block_ = whole;
  for (const Slice& part : parts_->full) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  parts_ = nullptr;
}

Status MessageAssembly::check_chunk(std::size_t size, bool last) const {
  if (last ? size == missing() : size <= missing()) return {};
  return {StatusCode::internal, "receive message: chunks of " + std::to_string(filled_ + size) +
                                    " bytes do not make up message_bytes " + std::to_string(message_.total)};
}

Slice MessageAssembly::take() {
  if (parts_ != nullptr) join_parts();
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
  is_waiting_ = began_behind_unread_ = is_admitted_ = false;
  parts_ = nullptr;
}

}  // namespace trunkline::session::native
