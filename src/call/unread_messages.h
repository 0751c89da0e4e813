// SPDX-License-Identifier: MIT
// UnreadMessages: the messages of a stream that have come and that the application has not read.
#pragma once

#include "base/vector_queue.h"
#include "session/event.h"

#include <trunkline/codec.h>
#include <trunkline/slice.h>

#include <cstddef>
#include <cstring>
#include <utility>

namespace trunkline::call {

/// In order, compressed ones as they came. Short messages are packed once several wait, because a block of its own for
/// each would take many times as much memory as the message.
class UnreadMessages {
 public:
  struct Message {
    Slice payload{};
    const Codec* codec = nullptr;
    /// Null: the payload is not compressed.
    const Compressor* compressor = nullptr;
    /// What a compressed payload decompresses to.
    std::size_t decompressed_bytes = 0;
    session::MessageCredit credit{};
  };

  UnreadMessages() = default;
  ~UnreadMessages() { drop_pack(); }
  UnreadMessages(const UnreadMessages&) = delete;
  UnreadMessages& operator=(const UnreadMessages&) = delete;

  bool empty() const noexcept { return messages_.empty(); }
  /// The message of `event`, which is copied if it is short.
  void push(const session::Event& event) {
    const bool is_packed = messages_.size() >= few && event.payload.size() <= short_bytes;
    messages_.push_back({.payload = is_packed ? pack(event.payload) : event.payload_slice(),
                         .codec = event.codec,
                         .compressor = event.is_compressed ? event.compressor : nullptr,
                         .decompressed_bytes = event.decompressed_bytes,
                         .credit = event.credit});
  }
  Message pop() {
    Message message = messages_.pop_front();
    if (messages_.empty()) drop_pack();
    return message;
  }
  void clear() noexcept {
    messages_.clear();
    drop_pack();
  }
  auto begin() const noexcept { return messages_.begin(); }
  auto end() const noexcept { return messages_.end(); }

 private:
  static constexpr std::size_t few = 4;
  static constexpr std::size_t short_bytes = 256;
  static constexpr std::size_t pack_bytes = 4096;

  Slice pack(ByteSpan bytes) {
    if (bytes.empty()) return {};
    if (pack_ == nullptr || pack_->capacity() - used_ < bytes.size()) {
      drop_pack();
      pack_ = Block::allocate(pack_bytes);
    }
    std::byte* const at = pack_->data() + used_;
    std::memcpy(at, bytes.data(), bytes.size());
    used_ += bytes.size();
    return Slice::share(pack_, at, bytes.size());
  }
  void drop_pack() noexcept {
    if (pack_ != nullptr) std::exchange(pack_, nullptr)->release();
    used_ = 0;
  }

  base::VectorQueue<Message> messages_;
  /// The block that the next short message goes into, and how much of it is used.
  Block* pack_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace trunkline::call
