// SPDX-License-Identifier: MIT
// Sizes and memory of messages in chunks.
#include "session/native/message_assembly.h"

#include <string>
#include <utility>

namespace trunkline::session::native {

void MessageAssembly::begin(std::size_t total, std::uint8_t codec, std::uint8_t compressor) {
  reset();
  block_ = Block::allocate(total);
  total_ = total;
  codec_ = codec;
  compressor_ = compressor;
}

Status MessageAssembly::check_chunk(std::size_t size, bool last) const {
  if (last ? size == missing() : size <= missing()) return {};
  return {StatusCode::internal, "receive message: chunks of " + std::to_string(filled_ + size) +
                                    " bytes do not make up message_bytes " + std::to_string(total_)};
}

Slice MessageAssembly::take() noexcept {
  Block* block = std::exchange(block_, nullptr);
  Slice message(block, block->data(), total_);
  total_ = filled_ = 0;
  return message;
}

void MessageAssembly::reset() noexcept {
  if (block_ != nullptr) block_->release();
  block_ = nullptr;
  total_ = filled_ = 0;
}

}  // namespace trunkline::session::native
