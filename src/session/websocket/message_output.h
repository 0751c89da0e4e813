// SPDX-License-Identifier: MIT
// MessageOutput: what a session writes, as binary messages of WebSocket.
#pragma once

#include "http/websocket/frame_header.h"
#include "http/websocket/mask_keys.h"
#include "session/session.h"

#include <trunkline/slice.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trunkline::session::websocket {

/// Everything that is ready when the transport can write becomes one message, so that a turn with many calls costs one
/// header. The bytes of a server are not copied. Those of a client are masked in a copy, which lasts until the
/// transport has taken it. Inner is a session, whose output grows at its end alone.
class MessageOutput {
 public:
  /// Longer output becomes several messages: browsers hand out a message only once it is complete.
  static constexpr std::size_t max_message_bytes = 256 << 10;

  /// `is_masked` is set for a client.
  explicit MessageOutput(bool is_masked) {
    if (is_masked) keys_.emplace();
  }
  ~MessageOutput() { release_copy(); }
  MessageOutput(const MessageOutput&) = delete;
  MessageOutput& operator=(const MessageOutput&) = delete;

  /// Sends `bytes` as they are, ahead of any message that has not begun.
  void append(std::string_view bytes) { plain_ += bytes; }
  void append_control(http::websocket::Opcode opcode, std::string_view payload);

  /// Something of append() is unsent, or a message has begun. Output that inner still has is not counted.
  bool has_work() const noexcept { return !plain_.empty() || has_message(); }
  /// Gathers as Session::gather() does. A message begins only if nothing else is unsent.
  template <class Inner>
  std::size_t gather(Inner& inner, std::span<ByteSpan> out) {
    if (has_message()) return keys_ ? rest_of_copy(out) : rest_of_message(inner, out);
    if (!plain_.empty()) return gather_plain(out);
    std::array<ByteSpan, 63> parts;
    const std::size_t count = inner.gather(parts);
    if (!begin_message(std::span(parts).first(count))) return 0;
    return keys_ ? rest_of_copy(out) : rest_of_message(inner, out);
  }
  template <class Inner>
  void wrote(Inner& inner, std::size_t size) {
    const std::size_t of_inner = take(size);
    if (of_inner > 0) inner.wrote(of_inner);
  }

  /// Returns how many bytes are unsent that inner does not count.
  std::size_t unsent_bytes() const noexcept { return plain_.size() + header_left(); }
  std::size_t held_bytes() const noexcept { return plain_.capacity() + (copy_ != nullptr ? copy_->capacity() : 0); }
  /// The transport takes nothing more.
  void clear() noexcept;

 private:
  bool has_message() const noexcept { return header_left() + message_left_ > 0; }
  std::size_t header_left() const noexcept { return header_size_ - header_sent_; }
  std::size_t gather_plain(std::span<ByteSpan> out) const noexcept;
  bool begin_message(std::span<const ByteSpan> parts);
  void copy_masked(std::span<const ByteSpan> parts, const http::websocket::FrameHeader& header);
  std::size_t rest_of_copy(std::span<ByteSpan> out) const noexcept;
  template <class Inner>
  std::size_t rest_of_message(Inner& inner, std::span<ByteSpan> out) {
    std::size_t begin = 0;
    if (header_left() > 0) out[begin++] = ByteSpan(header_).subspan(header_sent_, header_left());
    const std::size_t count = inner.gather(out.subspan(begin));
    return begin + shortened(out.subspan(begin, count), message_left_);
  }
  static std::size_t shortened(std::span<ByteSpan> parts, std::size_t size) noexcept;
  std::size_t take(std::size_t size) noexcept;
  void release_copy() noexcept;

  /// Makes the keys of a client's masks, and is empty at a server.
  std::optional<http::websocket::MaskKeys> keys_;
  std::string plain_;
  std::array<std::byte, http::websocket::max_frame_header_bytes> header_{};
  std::size_t header_size_ = 0;
  std::size_t header_sent_ = 0;
  /// This many bytes are left of the message that has begun, without its header.
  std::size_t message_left_ = 0;
  /// At a client this is the message that has begun, with its header, masked.
  Block* copy_ = nullptr;
  std::size_t copy_size_ = 0;
};

}  // namespace trunkline::session::websocket
