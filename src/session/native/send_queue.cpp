// SPDX-License-Identifier: MIT
// Sends queued frames in turns and in chunks.
#include "session/native/send_queue.h"

#include "wire/field.h"

#include <algorithm>
#include <cstring>

namespace trunkline::session::native {

namespace {
/// A chunk waits for more credit rather than be shorter than this, unless it is the last of its message.
constexpr std::int64_t min_chunk_bytes = 4096;
/// This much is sent of a call whose message has no place yet. It is enough for the uncompressed size.
constexpr std::int64_t opening_bytes = 16;

/// Returns an upper bound of the header block of the frame's next chunk, its size included.
std::int64_t max_block_bytes(const QueuedFrame& frame) noexcept {
  constexpr std::size_t integers = 2 * 10;  // These are timeout and message_bytes.
  constexpr std::size_t tag_and_size = 1 + wire::field_size_bytes;
  if (frame.started && frame.type != wire::FrameType::finish) return 0;
  const std::size_t name = frame.start ? frame.start->method_name.size() + tag_and_size : 0;
  return static_cast<std::int64_t>(wire::block_size_bytes + frame.fields.size() + name + integers);
}

/// Lists of calls are circular: head->ring_previous is the tail.
void append(CallState*& head, CallState& call) noexcept {
  if (head == nullptr) {
    head = call.ring_next = call.ring_previous = &call;
    return;
  }
  call.ring_next = head;
  call.ring_previous = head->ring_previous;
  call.ring_previous->ring_next = &call;
  head->ring_previous = &call;
}

void erase(CallState*& head, CallState& call) noexcept {
  if (call.ring_next == &call) {
    head = nullptr;
  } else {
    call.ring_previous->ring_next = call.ring_next;
    call.ring_next->ring_previous = call.ring_previous;
    if (head == &call) head = call.ring_next;
  }
  call.ring_next = call.ring_previous = nullptr;
}
}  // namespace

SendQueue::~SendQueue() {
  while (head_ != nullptr) unlink(*head_);
  while (parked_ != nullptr) erase(parked_, *parked_);
}

void SendQueue::set_windows(std::uint32_t connection_credit, std::uint32_t call_credit) noexcept {
  places_ = std::clamp<std::size_t>(connection_credit / 2 / std::max(call_credit, 1u), 1, max_places);
}

void SendQueue::push(CallState& call, QueuedFrame* frame) noexcept {
  ++queued_frames_;
  queued_bytes_ += frame->payload.size();
  if (frame->start) ++queued_starts_;
  const bool is_held_back = call.is_held_back;
  end_hold_back(call);
  ++call.queued_frames;
  call.queued_bytes += frame->payload.size();
  call.push(frame);
  if (is_held_back) return hold_back(call);
  if (!call.in_ring && !call.is_parked) link(call);
}

void SendQueue::remove(CallState& call) noexcept {
  if (call.in_ring) unlink(call);
  if (call.is_parked) {
    erase(parked_, call);
    call.is_parked = false;
  }
  end_hold_back(call);
  while (call.has_queue()) {
    QueuedFrame* frame = call.pop();
    forget(call, *frame);
    QueuedFramePool::free(frame);
  }
}

void SendQueue::forget(CallState& call, QueuedFrame& frame) noexcept {
  leave_place(frame);
  const std::size_t unsent = frame.payload.size() - frame.offset;
  --queued_frames_;
  --call.queued_frames;
  queued_bytes_ -= unsent;
  call.queued_bytes -= unsent;
  if (frame.start && !frame.started) --queued_starts_;
}

// --- places of long messages ---

void SendQueue::take_place(QueuedFrame& frame) noexcept {
  frame.has_place = true;
  ++places_taken_;
}

/// The call parked first gets the place at once: no call that comes later may take it.
void SendQueue::leave_place(QueuedFrame& frame) noexcept {
  if (!frame.has_place) return;
  frame.has_place = false;
  --places_taken_;
  if (parked_ == nullptr || places_taken_ >= places_) return;
  CallState& next = *parked_;
  erase(parked_, next);
  next.is_parked = false;
  take_place(*next.queue_head);
  link(next);
}

void SendQueue::park(CallState& call) noexcept {
  unlink(call);
  call.is_parked = true;
  append(parked_, call);
}

void SendQueue::pump(std::size_t until, std::size_t chunk_bytes, std::size_t max_frame_bytes) {
  while (head_ != nullptr && output_->size() < until) {
    CallState& call = *head_;
    if (!send_chunk(call, chunk_bytes, max_frame_bytes)) return;
  }
}

/// Sends one chunk. Returns false if nothing more can be sent until credit arrives. After true the call may be gone.
bool SendQueue::send_chunk(CallState& call, std::size_t chunk_bytes, std::size_t max_frame_bytes) {
  QueuedFrame& frame = *call.queue_head;
  const bool has_message = (frame.flags & wire::flag::message) != 0;
  const bool is_charged = frame.type != wire::FrameType::finish || has_message;
  const auto left = static_cast<std::int64_t>(frame.payload.size() - frame.offset);
  const std::int64_t block = max_block_bytes(frame);
  const std::int64_t most =
      std::min(static_cast<std::int64_t>(chunk_bytes), static_cast<std::int64_t>(max_frame_bytes) - block);
  const bool is_long = static_cast<std::int64_t>(frame.payload.size()) > most;
  const bool has_no_place =
      is_long && !frame.started && !frame.has_place && places_taken_ >= places_ && !keeps_its_position(frame);
  if (has_no_place && frame.start == nullptr) {
    park(call);
    return true;
  }
  // A call is opened before it is parked, because ids rise and later calls may pass it.
  const std::int64_t wanted = has_no_place ? opening_bytes : left;
  const std::int64_t least = std::min({wanted, min_chunk_bytes, most});
  std::int64_t chunk = std::min(wanted, most);
  if (is_charged) {
    const std::int64_t room = credit_ - static_cast<std::int64_t>(wire::header_bytes) - block;
    if (room < least) return false;
    chunk = std::min(chunk, room);
  }
  if (left > 0) {
    if (call.send_credit < least) {  // unblock() brings the call back.
      if (keeps_its_position(frame)) return false;
      unlink(call);
      // The peer makes room for a first message by itself. Behind an earlier one it may wait for its application, and
      // the other calls must not.
      if (frame.follows) {
        leave_place(frame);
        hold_back(call);
      }
      return true;
    }
    chunk = std::min(chunk, call.send_credit);
  }
  if (is_long && !has_no_place && !frame.has_place) take_place(frame);
  const bool last = chunk == left;
  std::uint32_t number = frame.number;
  scratch_.clear();
  source_->write_block(frame, last, scratch_, number);
  write_chunk(call, frame, scratch_.bytes(), number, static_cast<std::size_t>(chunk), last);
  if (has_no_place) park(call);
  return true;
}

void SendQueue::write_chunk(CallState& call, QueuedFrame& frame, ByteSpan block, std::uint32_t number,
                            std::size_t chunk, bool last) {
  wire::FrameHeader header{.length = static_cast<std::uint32_t>(block.size() + chunk),
                           .type = frame.type,
                           .flags = frame.flags,
                           .call = call.id};
  if (!frame.started) header.codec = frame.codec, header.compressor = frame.compressor;
  // A message whose last chunk comes with finish is begun by message frames; one begun by a call frame is continued by
  // them.
  if (!last) {
    if (frame.type == wire::FrameType::finish || frame.started) header.type = wire::FrameType::message;
    const bool keeps_one_way = header.type == wire::FrameType::call && (frame.flags & wire::flag::one_way) != 0;
    header.flags = wire::flag::message | wire::flag::more;
    if (keeps_one_way) header.flags |= wire::flag::one_way;
  } else if (frame.started && frame.type == wire::FrameType::call) {
    header.type = wire::FrameType::message;
    header.flags = static_cast<std::uint8_t>(frame.flags & (wire::flag::message | wire::flag::end));
  }
  if (!block.empty()) header.flags |= wire::flag::headers;
  if (header.type == wire::FrameType::call || header.type == wire::FrameType::finish) header.number = number;

  // If there is no memory, nothing of the frame is written.
  const bool is_copied = chunk < base::OutputQueue::copy_limit;
  const std::size_t head = wire::header_bytes + block.size() + (is_copied ? chunk : 0);
  if (!is_copied) output_->reserve_slice();
  std::byte* out = output_->reserve(head);
  wire::write_header(header, out);
  if (!block.empty()) std::memcpy(out + wire::header_bytes, block.data(), block.size());
  if (is_copied && chunk > 0)
    std::memcpy(out + wire::header_bytes + block.size(), frame.payload.data() + frame.offset, chunk);
  output_->commit(head);
  if (!is_copied) output_->append(frame.payload.subslice(frame.offset, chunk));
  if (header.type != wire::FrameType::finish || (header.flags & wire::flag::message) != 0) {
    take_credit(static_cast<std::int64_t>(wire::header_bytes) + header.length);
  }
  call.send_credit -= static_cast<std::int64_t>(chunk);
  if (frame.start && !frame.started) --queued_starts_;
  frame.started = true;
  frame.offset += chunk;
  queued_bytes_ -= chunk;
  call.queued_bytes -= chunk;

  if (last) {
    call.pop();
    --queued_frames_;
    --call.queued_frames;
    leave_place(frame);
  }
  const bool stays = order_ == Order::in_order || (!last && keeps_its_position(frame));
  if (!stays || !call.has_queue()) {
    unlink(call);
    if (call.has_queue()) link(call);
  }
  if (!last) return;
  source_->on_frame_sent(call, frame);
  QueuedFramePool::free(&frame);
}

void SendQueue::link(CallState& call) noexcept {
  call.in_ring = true;
  append(head_, call);
}

void SendQueue::unlink(CallState& call) noexcept {
  call.in_ring = false;
  erase(head_, call);
}

}  // namespace trunkline::session::native
