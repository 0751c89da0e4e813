// SPDX-License-Identifier: MIT
// SendQueue: which call sends next - the credit of the connection, and the ring in which calls with queued frames take
// turns.
#pragma once

#include "base/output_queue.h"
#include "session/native/call_state.h"

#include <cstdint>

namespace trunkline::session::native {

/// Gives the queue what it needs from its session.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Appends the header block of the chunk about to be sent (its size included), or nothing. `number` receives the
  /// method's number for a call frame. frame.started tells whether it is the first chunk, `last` whether it is the
  /// last.
  virtual void write_block(const QueuedFrame& frame, bool last, BufferWriter& out, std::uint32_t& number) = 0;
  /// The frame has been sent completely and is freed after this. The call may be forgotten.
  virtual void on_frame_sent(CallState& call, const QueuedFrame& frame) = 0;
};

/// A call is in the ring while it has queued frames, is not waiting for credit of its own, and is not parked. What
/// waits for credit behind a message that the peer's application has yet to read is held back: it is in nobody's way.
/// Only a few long messages are sent at a time, in the order in which they were queued; the calls of the others are
/// parked, new ones after a first short chunk. Otherwise all of them would progress at the same pace, and the peer
/// would have to make room for all at once.
class SendQueue {
 public:
  /// At most this many long messages are sent at a time.
  static constexpr std::size_t max_places = 8;

  SendQueue(base::OutputQueue& output, FrameSource& source) noexcept : output_(&output), source_(&source) {}
  ~SendQueue();

  std::int64_t credit() const noexcept { return credit_; }
  void add_credit(std::int64_t bytes) noexcept { credit_ += bytes; }
  void take_credit(std::int64_t bytes) noexcept {
    credit_ -= bytes;
    sent_bytes_ += static_cast<std::uint64_t>(bytes);
    ++charged_frames_;
  }
  /// Returns everything that has cost credit so far.
  std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }
  /// Returns how many frames have cost credit so far.
  std::uint64_t charged_frames() const noexcept { return charged_frames_; }

  /// Says how calls share the connection.
  enum class Order : std::uint8_t {
    /// Each call sends one chunk at a time.
    in_turn,
    /// Each call sends one chunk at a time, but its first message is sent completely before the next call begins.
    starts_in_order,
    /// The call that queued first sends everything before the next one.
    in_order,
  };
  void set_order(Order order) noexcept { order_ = order; }
  /// Sets the peer's windows. The long messages that are being sent use half of the connection's window at most, or are
  /// only one, so that short messages have credit while the peer has no room for long ones.
  void set_windows(std::uint32_t connection_credit, std::uint32_t call_credit) noexcept;

  /// Queues a frame behind those of the call, and the call behind the others.
  void push(CallState& call, QueuedFrame* frame) noexcept;
  /// The call has got credit.
  void unblock(CallState& call) {
    if (!call.has_queue() || call.in_ring || call.is_parked) return;
    end_hold_back(call);
    link(call);
  }
  /// Drops everything that the call has queued.
  void remove(CallState& call) noexcept;
  /// Sends chunks in turn until the output holds `until` bytes, credit ends or nothing is left.
  void pump(std::size_t until, std::size_t chunk_bytes, std::size_t max_frame_bytes);

  bool is_idle() const noexcept { return queued_frames_ == 0; }
  bool has_queued_calls() const noexcept { return queued_starts_ > 0; }
  /// Returns how many message bytes have not been sent yet.
  std::size_t queued_bytes() const noexcept { return queued_bytes_; }
  /// Returns how many of the queued bytes are held back.
  std::size_t held_back_bytes() const noexcept { return held_back_bytes_; }
  /// Returns roughly the memory of the queued frames.
  std::size_t queued_memory() const noexcept { return queued_bytes_ + queued_frames_ * memory_per_frame; }
  /// Returns roughly the memory of the queued frames that are not held back.
  std::size_t contending_memory() const noexcept {
    return queued_memory() - held_back_bytes_ - held_back_frames_ * memory_per_frame;
  }
  /// Returns how many long messages have a place.
  std::size_t places_taken() const noexcept { return places_taken_; }

 private:
  /// A frame and its call take this much memory, rounded.
  static constexpr std::size_t memory_per_frame = 512;

  bool keeps_its_position(const QueuedFrame& frame) const noexcept {
    return order_ == Order::in_order || (order_ == Order::starts_in_order && frame.start != nullptr);
  }
  bool send_chunk(CallState& call, std::size_t chunk_bytes, std::size_t max_frame_bytes);
  void write_chunk(CallState& call, QueuedFrame& frame, ByteSpan block, std::uint32_t number, std::size_t chunk,
                   bool last);
  void take_place(QueuedFrame& frame) noexcept;
  void leave_place(QueuedFrame& frame) noexcept;
  void park(CallState& call) noexcept;
  void link(CallState& call) noexcept;
  void unlink(CallState& call) noexcept;
  void forget(CallState& call, QueuedFrame& frame) noexcept;
  void hold_back(CallState& call) noexcept {
    call.is_held_back = true;
    held_back_bytes_ += call.queued_bytes;
    held_back_frames_ += call.queued_frames;
  }
  void end_hold_back(CallState& call) noexcept {
    if (!call.is_held_back) return;
    call.is_held_back = false;
    held_back_bytes_ -= call.queued_bytes;
    held_back_frames_ -= call.queued_frames;
  }

  base::OutputQueue* output_;
  FrameSource* source_;
  /// The ring is circular: head_->ring_previous is the tail.
  CallState* head_ = nullptr;
  /// Parked calls are linked in the order in which they were parked, and circular like the ring.
  CallState* parked_ = nullptr;
  std::size_t places_ = max_places;
  std::size_t places_taken_ = 0;
  std::int64_t credit_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t charged_frames_ = 0;
  std::size_t queued_frames_ = 0;
  std::size_t queued_starts_ = 0;
  std::size_t queued_bytes_ = 0;
  std::size_t held_back_bytes_ = 0;
  std::size_t held_back_frames_ = 0;
  Order order_ = Order::in_turn;
  BufferWriter scratch_;
};

}  // namespace trunkline::session::native
