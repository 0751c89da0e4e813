// SPDX-License-Identifier: MIT
// SentMessages: the messages that a client's stream has sent, held to be sent again on another connection.
#pragma once

#include "session/session.h"

#include <cstddef>
#include <span>
#include <vector>

namespace trunkline::client {

/// Holds all that was sent, or nothing: it gives up once that exceeds the limit. The bytes are shared with the output,
/// not copied.
class SentMessages {
 public:
  /// `limit` is ChannelOptions::max_retained_request_bytes, for all messages together. `opening_bytes` is the size of
  /// the message that opens the call, which counts.
  SentMessages(std::size_t limit, std::size_t opening_bytes) noexcept
      : left_(opening_bytes <= limit ? limit - opening_bytes : 0), is_complete_(opening_bytes <= limit) {}

  /// Returns false if some message that was sent is not here any more.
  bool is_complete() const noexcept { return is_complete_; }
  void add(const session::OutgoingMessage& message) {
    const std::size_t size = message.payload.size() + message_bytes;
    if (!is_complete_ || size > left_) return give_up();
    left_ -= size;
    messages_.push_back(message);
  }
  void give_up() noexcept {
    is_complete_ = false;
    messages_ = {};
  }
  /// Returns the messages in the order of sending.
  std::span<const session::OutgoingMessage> all() const noexcept { return messages_; }

 private:
  /// The size that each message counts, since an empty one occupies memory too.
  static constexpr std::size_t message_bytes = 64;

  std::vector<session::OutgoingMessage> messages_;
  std::size_t left_;
  bool is_complete_;
};

}  // namespace trunkline::client
