// SPDX-License-Identifier: MIT
// Stream: what a connection keeps of a stream that is not closed.
#pragma once

#include "base/vector_queue.h"
#include "http/http2/flow_window.h"
#include "http/http2/stream_state.h"

#include <trunkline/slice.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace trunkline::http::http2 {

/// A part of the content that waits for the windows of the peer.
struct QueuedPart {
  Slice bytes;
  /// The peer's application can use what it has got so far once this part has come.
  bool ends_message = false;
};

/// The layer above extends the struct by what it keeps of the exchange that the stream carries. Each part of a
/// connection uses only the fields that are its own.
struct Stream {
  /// The stream begins with windows of `send_bytes` and `receive_bytes`.
  Stream(std::uint32_t stream_id, std::uint32_t send_bytes, std::uint32_t receive_bytes) noexcept
      : id(stream_id), send_window(send_bytes), receive_window(receive_bytes), receive_target(receive_bytes) {}

  const std::uint32_t id;
  StreamState state = StreamState::open;
  /// The layer above wants nothing more of the stream: what still comes is dropped.
  bool is_finished = false;
  /// This many of the bytes that content-length announces have yet to come. There is no value if none are announced.
  std::optional<std::uint64_t> content_left;

  // --- SendQueue ---
  FlowWindow send_window;
  base::VectorQueue<QueuedPart> queue;
  /// The ticket tells when the front of the queue became the front, in the order of all streams.
  std::uint64_t ticket = 0;
  std::size_t queued_bytes = 0;
  /// This many bytes of the front of the queue have been sent.
  std::size_t sent_of_front = 0;
  /// The stream has a place among those that are sent next.
  bool is_ready = false;
  /// A message has been sent before the front of the queue: the peer's application may have to read that first.
  bool follows = false;
  /// SendQueue counts this many bytes of the queue as held back.
  std::size_t held_back = 0;
  /// END_STREAM goes with the last part of the queue.
  bool ends_with_queue = false;

  // --- ReceiveWindows ---
  FlowWindow receive_window;
  /// The window is opened to this size.
  std::uint32_t receive_target;
  /// This many bytes are consumed, and not yet granted again.
  std::int64_t returnable = 0;
  /// This many bytes of unread messages have been granted again already.
  std::int64_t debt = 0;

  /// `bytes` of content have come, and the end if `is_end`. Returns false if that is not what content-length says,
  /// which makes the message malformed (RFC 9113, section 8.1.1).
  [[nodiscard]] bool take_content(std::uint64_t bytes, bool is_end) noexcept {
    if (!content_left) return true;
    if (bytes > *content_left) return false;
    *content_left -= bytes;
    return !is_end || *content_left == 0;
  }
  bool has_queue() const noexcept { return !queue.empty(); }
  /// This side sends nothing more, or nothing more than what is queued.
  bool has_ended() const noexcept {
    return ends_with_queue || state == StreamState::half_closed_local || state == StreamState::closed;
  }
  bool has_peer_ended() const noexcept {
    return state == StreamState::half_closed_remote || state == StreamState::closed;
  }
};

}  // namespace trunkline::http::http2
