// SPDX-License-Identifier: MIT
// SendPath: frames on their way to the transport - the output, the queue of frames that cannot be sent yet, and when
// too much of either has gathered.
#pragma once

#include "base/output_queue.h"
#include "session/native/negotiation.h"
#include "session/native/send_queue.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace trunkline::session::native {

/// A frame is either encoded in the output, where only the socket can delay it, or queued, where it waits for the
/// peer's credit or its turn. Queued frames enter the output only while little is unsent there, so that a short message
/// that comes later waits for one round at most.
class SendPath {
 public:
  /// All references outlive the object. `source` writes header blocks and learns which queued frames have been sent.
  SendPath(const ConnectionLimits& limits, const Negotiation& negotiation, FrameSource& source)
      : limits_(limits), negotiation_(negotiation), queue_(output_, source) {
    queue_.add_credit(negotiation.peer().connection_credit);
  }

  base::OutputQueue& output() noexcept { return output_; }
  const base::OutputQueue& output() const noexcept { return output_; }
  const SendQueue& queue() const noexcept { return queue_; }
  void set_order(SendQueue::Order order) noexcept { queue_.set_order(order); }
  /// The peer's hello has been read.
  void on_hello() noexcept {
    queue_.set_windows(negotiation_.peer().connection_credit, negotiation_.peer().call_credit);
  }

  // --- frames that go straight into the output ---

  /// Writes a header, which is the whole frame or is followed by what the caller appends to output().
  void write_header(const wire::FrameHeader& header) {
    wire::write_header(header, output_.reserve(wire::header_bytes));
    output_.commit(wire::header_bytes);
  }
  void write_goaway(CallId last_call, StatusCode code, std::string_view text);
  /// Writes a finish without a message, which costs no credit. `fields` are the header block's, without its size; if
  /// they are empty, those of `status` are written.
  void write_finish(CallId id, const Status& status, bool unprocessed, ByteSpan fields);
  /// Returns true if a frame with `body` bytes, `message` of them message bytes, may be written now: there is credit
  /// for it and it passes no frame that it must not pass.
  bool may_write(std::size_t body, std::size_t message, std::int64_t call_credit) const noexcept {
    return static_cast<std::int64_t>(wire::header_bytes + body) <= queue_.credit() &&
           static_cast<std::int64_t>(message) <= call_credit && message <= limits_.chunk_bytes &&
           body <= negotiation_.peer().max_frame_bytes && (queue_.is_idle() || !negotiation_.is_ordered()) &&
           output_.size() <= limits_.max_unsent_bytes;
  }
  /// The frame of `body` bytes has been written.
  void charge(std::size_t body) noexcept { queue_.take_credit(static_cast<std::int64_t>(wire::header_bytes + body)); }

  // --- frames that wait ---

  void push(CallState& call, QueuedFrame* frame) noexcept {
    queue_.push(call, frame);
    can_pump_ = true;
  }
  /// Drops all that the call has queued, which may have been in the way of other calls.
  void remove(CallState& call) noexcept {
    if (!call.has_queue()) return;
    queue_.remove(call);
    can_pump_ = true;
  }
  void add_credit(std::int64_t bytes) noexcept {
    queue_.add_credit(bytes);
    can_pump_ = true;
  }
  void add_credit(CallState& call, std::int64_t bytes) noexcept {
    call.send_credit += bytes;
    queue_.unblock(call);
    can_pump_ = true;
  }
  /// Moves queued frames into the output, as far as credit goes and the output is not long enough already.
  void pump();

  // --- output ---

  /// Returns false if nothing is to be written, or everything waits for credit.
  bool has_output() const noexcept { return !output_.empty() || (!queue_.is_idle() && can_pump_); }
  std::size_t unsent_bytes() const noexcept { return output_.size() + queue_.queued_bytes(); }
  /// Returns how many bytes wait for the socket. While the socket keeps up, queued frames wait for the peer's credit.
  std::size_t waiting_for_socket() const noexcept {
    const std::size_t queued = queue_.queued_bytes() - queue_.held_back_bytes();
    return output_.size() < pump_target() ? output_.size() : output_.size() + queued;
  }
  /// Returns roughly the memory of all that waits.
  std::size_t held_bytes() const noexcept { return output_.size() + queue_.queued_memory(); }
  /// The socket has taken `size` bytes of the output.
  void wrote(std::size_t size) noexcept {
    output_.consume(size);
    written_bytes_ += size;
  }
  /// Grows while the peer takes what waits: bytes that cost credit, and any bytes while all waits for the socket.
  std::uint64_t progress() const noexcept {
    const bool waits_for_credit = output_.size() < pump_target() && !queue_.is_idle();
    return waits_for_credit ? queue_.sent_bytes() : queue_.sent_bytes() + written_bytes_;
  }
  bool is_congested() const noexcept { return is_congested(limits_.max_unsent_bytes); }
  /// Once congested, the path is usable again when this is false.
  bool is_half_congested() const noexcept { return is_congested(limits_.max_unsent_bytes / 2); }
  bool is_socket_full() const noexcept { return waiting_for_socket() > limits_.max_unsent_bytes; }
  bool is_socket_half_full() const noexcept { return waiting_for_socket() > limits_.max_unsent_bytes / 2; }
  /// A stalled session of a server reads nothing until the peer has taken half of what it may leave unread. Returns
  /// is_stalled().
  bool update_stall() noexcept { return is_stalled_ = is_stalled_ ? is_socket_half_full() : is_socket_full(); }
  bool is_stalled() const noexcept { return is_stalled_; }

  /// The session is over: only what is in the output is still to be written.
  void close() noexcept {
    is_closed_ = true;
    is_stalled_ = false;
  }
  bool is_closed() const noexcept { return is_closed_; }

 private:
  /// This many times max_unsent_bytes may be queued while the peer gives no credit. A call whose response nobody reads
  /// must not keep others from running, so this limit is wider.
  static constexpr std::size_t blocked_share = 16;

  bool is_congested(std::size_t max_unsent) const noexcept {
    return waiting_for_socket() > max_unsent || queue_.contending_memory() > blocked_share * max_unsent;
  }
  std::size_t pump_target() const noexcept { return 2 * std::size_t{limits_.chunk_bytes}; }

  const ConnectionLimits& limits_;
  const Negotiation& negotiation_;
  base::OutputQueue output_;
  SendQueue queue_;
  std::uint64_t written_bytes_ = 0;
  /// Unless this is set, everything queued waits for credit.
  bool can_pump_ = true;
  bool is_stalled_ = false;
  bool is_closed_ = false;
};

}  // namespace trunkline::session::native
