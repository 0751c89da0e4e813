// SPDX-License-Identifier: MIT
// SendQueue: which call sends next - connection credit, and the ring in which calls with queued frames take turns.
#pragma once

#include "session/call_state.h"
#include "session/output_queue.h"

#include <cstdint>

namespace trunkline::session {

/// What cutting frames needs from the session.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Appends the header block of the piece about to be sent (its size included), or nothing. `number` receives the
  /// method's number for a call frame. frame.started tells whether it is the first piece, `last` whether it is the
  /// last.
  virtual void write_block(const QueuedFrame& frame, bool last, BufferWriter& out, std::uint32_t& number) = 0;
  /// The frame was sent whole and is dropped after this.
  virtual void on_frame_sent(CallState& call, const QueuedFrame& frame) = 0;
};

class SendQueue {
 public:
  SendQueue(OutputQueue& output, FrameSource& source) noexcept : output_(&output), source_(&source) {}
  ~SendQueue();

  std::int64_t credit() const noexcept { return credit_; }
  void add_credit(std::int64_t bytes) noexcept { credit_ += bytes; }
  void take_credit(std::int64_t bytes) noexcept { credit_ -= bytes; }

  /// How calls share the connection.
  enum class Order : std::uint8_t {
    in_turn,          ///< a piece each
    starts_in_order,  ///< but one call's first message is sent whole before the next call begins
    in_order,         ///< the first one that has queued something is sent whole before the next
  };
  void set_order(Order order) noexcept { order_ = order; }

  /// Queues a frame behind those of the call, and the call behind the others.
  void push(CallState& call, QueuedFrame* frame);
  /// The call's credit grew.
  void unblock(CallState& call) {
    if (call.has_queue() && !call.in_ring) link(call);
  }
  /// Drops all that the call has queued.
  void remove(CallState& call) noexcept;
  /// Emits pieces in turn until the output holds `until` bytes, credit ends or nothing is left.
  void pump(std::size_t until, std::size_t chunk_bytes, std::size_t max_frame_bytes);

  bool is_idle() const noexcept { return queued_frames_ == 0; }
  bool has_queued_calls() const noexcept { return queued_starts_ > 0; }
  /// Message bytes not sent yet.
  std::size_t queued_bytes() const noexcept { return queued_bytes_; }
  /// About what the queued frames take in memory.
  std::size_t queued_memory() const noexcept { return queued_bytes_ + queued_frames_ * memory_per_frame; }

 private:
  /// A frame's and its call's own size, in round figures.
  static constexpr std::size_t memory_per_frame = 512;

  bool holds_its_place(const QueuedFrame& frame) const noexcept {
    return order_ == Order::in_order || (order_ == Order::starts_in_order && frame.start != nullptr);
  }
  bool emit_piece(CallState& call, std::size_t chunk_bytes, std::size_t max_frame_bytes);
  void write_piece(CallState& call, QueuedFrame& frame, ByteSpan block, std::uint32_t number, std::size_t piece,
                   bool last);
  void link(CallState& call) noexcept;
  void unlink(CallState& call) noexcept;
  void forget(const QueuedFrame& frame) noexcept;

  OutputQueue* output_;
  FrameSource* source_;
  CallState* head_ = nullptr;  // circular: head_->ring_previous is the tail
  std::int64_t credit_ = 0;
  std::size_t queued_frames_ = 0;
  std::size_t queued_starts_ = 0;
  std::size_t queued_bytes_ = 0;
  Order order_ = Order::in_turn;
  BufferWriter scratch_;
};

}  // namespace trunkline::session
