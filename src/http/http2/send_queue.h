// SPDX-License-Identifier: MIT
// SendQueue: messages on their way into DATA frames, as far as the peer's windows go.
#pragma once

#include "base/output_queue.h"
#include "base/vector_queue.h"
#include "http/http2/settings.h"
#include "http/http2/stream_table.h"

#include <trunkline/connection_limits.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::http::http2 {

/// Streams take turns, a frame each. Frames enter the output only while little is unsent there, so that a short message
/// that comes later waits for one round at most. Of long messages only a few take turns, in the order in which they
/// came: a peer that has room for some of them could otherwise get the beginnings of all and the end of none. What
/// waits for a stream's window behind a message that the peer's application has yet to read is held back: it is in
/// nobody's way.
class SendQueue {
 public:
  /// Called from pump() with the `owner`, when all that the stream had queued has been sent. It may destroy the stream,
  /// but must not queue anything.
  using OnSent = void (*)(void* owner, Stream& stream);

  /// All references outlive the object. `on_sent` is called with `owner`.
  SendQueue(const ConnectionLimits& limits, const Settings& peer, const StreamTable& streams, base::OutputQueue& output,
            OnSent on_sent, void* owner) noexcept
      : limits_(limits), peer_(peer), streams_(streams), output_(output), on_sent_(on_sent), owner_(owner) {}

  /// Returns true if `size` bytes may be written as one DATA frame now, because nothing waits before them.
  bool may_write(const Stream& stream, std::size_t size) const noexcept {
    return !stream.has_queue() && size <= max_frame_bytes() && size <= stream.send_window.available() &&
           size <= window_.available() && output_.size() <= limits_.max_unsent_bytes;
  }
  /// Writes the header of a DATA frame of `size` bytes, a whole message, which the caller puts into the output behind
  /// it. Needs may_write(), unless the frame is empty. The frame has END_STREAM if `is_end`.
  void write_frame_header(Stream& stream, std::size_t size, bool is_end = false) {
    write_header(stream, size, is_end);
    stream.follows = true;
  }
  /// Queues a part of a message until its turn comes. The stream is kept until then.
  void push(Stream& stream, Slice part, bool ends_message = true);
  /// Drops what the stream has queued.
  void drop(Stream& stream) noexcept {
    if (stream.has_queue()) drop_queue(stream);
  }
  /// Moves messages into the output.
  void pump();

  /// Opens the window of the connection. Returns false for a FLOW_CONTROL_ERROR of the connection.
  [[nodiscard]] bool add_window(std::uint32_t bytes) noexcept {
    can_pump_ = true;
    return window_.add(bytes);
  }
  /// Opens the window of the stream. Returns false for a FLOW_CONTROL_ERROR of the stream.
  [[nodiscard]] bool add_window(Stream& stream, std::uint32_t bytes);
  /// SETTINGS_INITIAL_WINDOW_SIZE has changed. Returns false for a FLOW_CONTROL_ERROR of the connection.
  [[nodiscard]] bool adjust(Stream& stream, std::uint32_t old_initial, std::uint32_t new_initial);

  std::size_t queued_bytes() const noexcept { return queued_bytes_; }
  /// Returns how many of held_bytes() are held back.
  std::size_t held_back_bytes() const noexcept { return held_back_bytes_; }
  /// Counts messages in full until all of them has been sent, because their memory is there until then.
  std::size_t held_bytes() const noexcept { return queued_bytes_ + sent_of_fronts_; }
  /// Counts the places in the queues, including those of streams that have gone.
  std::size_t places() const noexcept { return ready_.size() + long_.size() + active_.size(); }
  /// Something is queued that is not known to wait for a window.
  bool can_pump() const noexcept { return can_pump_ && has_ready(); }
  /// Returns how many bytes have gone into frames so far.
  std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }
  /// Returns how many frames there were so far, without short ones that had no more room in a window: a peer that
  /// returns little of its windows at a time causes those itself.
  std::uint64_t worthwhile_frames() const noexcept { return worthwhile_frames_; }

 private:
  /// Names a long message that waits until fewer others take turns.
  struct LongMessage {
    std::uint64_t ticket = 0;
    std::uint32_t id = 0;
    bool operator>(const LongMessage& other) const noexcept { return ticket > other.ticket; }
  };
  static constexpr std::size_t most_long_at_once = 4;

  /// Gives the stream a place if it has something to send and a window, or holds it back.
  void make_ready(Stream& stream);
  void set_held_back(Stream& stream, std::size_t bytes) noexcept {
    held_back_bytes_ += bytes - stream.held_back;
    stream.held_back = bytes;
  }
  void drop_queue(Stream& stream) noexcept;
  void write_header(Stream& stream, std::size_t size, bool is_end);
  void drop_places_of_gone();
  bool is_long(const Stream& stream) const noexcept { return stream.queue.begin()->bytes.size() > limits_.chunk_bytes; }
  bool has_ready() const noexcept { return !ready_.empty() || !long_.empty() || !active_.empty(); }
  /// Returns the stream whose turn it is, or null if that stream has gone.
  Stream* take_next();
  /// Writes one frame of the stream. Returns false if the stream has nothing more to send now.
  bool write_some(Stream& stream);
  /// A peer that takes longer frames would get a long message in one piece, and everything else behind it.
  std::size_t max_frame_bytes() const noexcept {
    const std::uint32_t own = std::max(limits_.chunk_bytes, min_max_frame_bytes);
    return std::min(own, peer_.max_frame_size);
  }
  std::size_t target() const noexcept { return 2 * std::size_t{limits_.chunk_bytes}; }

  const ConnectionLimits& limits_;
  const Settings& peer_;
  const StreamTable& streams_;
  base::OutputQueue& output_;
  const OnSent on_sent_;
  void* const owner_;
  FlowWindow window_;
  /// Holds the ids of streams whose turn comes. Ids are not used again, so those of forgotten streams are skipped, and
  /// dropped once they are most of the queue: while a peer opens no window, no turn comes.
  base::VectorQueue<std::uint32_t> ready_;
  /// `long_` is a heap of waiting messages with the lowest ticket on top, and `active_` has those that take turns.
  std::vector<LongMessage> long_;
  base::VectorQueue<std::uint32_t> active_;
  std::uint64_t tickets_ = 0;
  bool is_long_next_ = false;
  std::size_t queued_bytes_ = 0;
  std::size_t held_back_bytes_ = 0;
  /// This is the sum of Stream::sent_of_front.
  std::size_t sent_of_fronts_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t worthwhile_frames_ = 0;
  bool can_pump_ = true;
};

}  // namespace trunkline::http::http2
