// SPDX-License-Identifier: MIT
// Turns and chunks of queued frames.
#include "session/native/send_queue.h"

#include "wire/field.h"

#include <algorithm>

namespace trunkline::session::native {

namespace {
/// A chunk waits for more credit rather than be shorter than this, unless it is the last of its message.
constexpr std::int64_t min_chunk_bytes = 4096;

/// An upper bound of the header block of the frame's next chunk, its size included.
std::int64_t max_block_bytes(const QueuedFrame& frame) noexcept {
  constexpr std::size_t integers = 2 * 10;  // timeout, message_bytes
  constexpr std::size_t tag_and_size = 1 + wire::field_size_bytes;
  if (frame.started && frame.type != wire::FrameType::finish) return 0;
  const std::size_t name = frame.start ? frame.start->method_name.size() + tag_and_size : 0;
  return static_cast<std::int64_t>(wire::block_size_bytes + frame.fields.size() + name + integers);
}
}  // namespace

SendQueue::~SendQueue() {
  while (head_ != nullptr) unlink(*head_);
}

void SendQueue::push(CallState& call, QueuedFrame* frame) {
  ++queued_frames_;
  queued_bytes_ += frame->payload.size();
  if (frame->start) ++queued_starts_;
  call.push(frame);
  if (!call.in_ring) link(call);
}

void SendQueue::remove(CallState& call) noexcept {
  while (call.has_queue()) {
    QueuedFrame* frame = call.pop();
    forget(*frame);
    QueuedFramePool::free(frame);
  }
  if (call.in_ring) unlink(call);
}

void SendQueue::forget(const QueuedFrame& frame) noexcept {
  --queued_frames_;
  queued_bytes_ -= frame.payload.size() - frame.offset;
  if (frame.start && !frame.started) --queued_starts_;
}

void SendQueue::pump(std::size_t until, std::size_t chunk_bytes, std::size_t max_frame_bytes) {
  while (head_ != nullptr && output_->size() < until) {
    CallState& call = *head_;
    if (!send_chunk(call, chunk_bytes, max_frame_bytes)) return;
  }
}

/// False: nothing more can be sent until credit arrives. After true the call may be gone.
bool SendQueue::send_chunk(CallState& call, std::size_t chunk_bytes, std::size_t max_frame_bytes) {
  QueuedFrame& frame = *call.queue_head;
  const bool has_message = (frame.flags & wire::flag::message) != 0;
  const bool is_charged = frame.type != wire::FrameType::finish || has_message;
  const auto left = static_cast<std::int64_t>(frame.payload.size() - frame.offset);
  const std::int64_t block = max_block_bytes(frame);
  const std::int64_t most =
      std::min(static_cast<std::int64_t>(chunk_bytes), static_cast<std::int64_t>(max_frame_bytes) - block);
  const std::int64_t least = std::min({left, min_chunk_bytes, most});
  std::int64_t chunk = std::min(left, most);
  if (is_charged) {
    const std::int64_t room = credit_ - static_cast<std::int64_t>(wire::header_bytes) - block;
    if (room < least) return false;
    chunk = std::min(chunk, room);
  }
  if (left > 0) {
    if (call.send_credit < least) {  // unblock() brings it back
      if (keeps_its_position(frame)) return false;
      unlink(call);
      return true;
    }
    chunk = std::min(chunk, call.send_credit);
  }
  const bool last = chunk == left;
  std::uint32_t number = frame.number;
  scratch_.clear();
  source_->write_block(frame, last, scratch_, number);
  write_chunk(call, frame, scratch_.bytes(), number, static_cast<std::size_t>(chunk), last);
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

  wire::write_header(header, output_->reserve(wire::header_bytes));
  output_->commit(wire::header_bytes);
  output_->append(block);
  if (chunk > 0) output_->append(frame.payload.subslice(frame.offset, chunk));
  if (header.type != wire::FrameType::finish || (header.flags & wire::flag::message) != 0) {
    credit_ -= static_cast<std::int64_t>(wire::header_bytes) + header.length;
  }
  call.send_credit -= static_cast<std::int64_t>(chunk);
  if (frame.start && !frame.started) --queued_starts_;
  frame.started = true;
  frame.offset += chunk;
  queued_bytes_ -= chunk;

  if (last) {
    call.pop();
    --queued_frames_;
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
  if (head_ == nullptr) {
    head_ = call.ring_next = call.ring_previous = &call;
    return;
  }
  call.ring_next = head_;
  call.ring_previous = head_->ring_previous;
  call.ring_previous->ring_next = &call;
  head_->ring_previous = &call;
}

void SendQueue::unlink(CallState& call) noexcept {
  call.in_ring = false;
  if (call.ring_next == &call) {
    head_ = nullptr;
  } else {
    call.ring_previous->ring_next = call.ring_next;
    call.ring_next->ring_previous = call.ring_previous;
    if (head_ == &call) head_ = call.ring_next;
  }
  call.ring_next = call.ring_previous = nullptr;
}

}  // namespace trunkline::session::native
