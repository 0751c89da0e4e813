// SPDX-License-Identifier: MIT
// CallState: what a native session remembers of one open call.
#pragma once

#include "base/object_pool.h"
#include "base/timer_wheel.h"
#include "session/call_phase.h"
#include "session/event.h"
#include "session/message_assembly.h"
#include "wire/frame.h"

#include <memory>
#include <string>

namespace trunkline::session {

/// What a call frame needs beside its message if it cannot be sent at once.
struct QueuedStart {
  std::uint32_t method_key = 0;
  std::string method_name;
  base::TimePoint deadline = base::never;
};

/// One message, or a finish, or just an `end`, waiting for credit or for its turn.
struct QueuedFrame {
  QueuedFrame* next = nullptr;
  wire::FrameType type{};
  std::uint8_t flags = 0;  ///< of the last frame it makes; `more` is added to the others
  std::uint8_t codec = 0;
  std::uint8_t compressor = 0;
  std::uint32_t number = 0;
  bool started = false;    ///< its first frame has been sent
  std::size_t offset = 0;  ///< of `payload`, sent so far
  Slice payload;
  Slice fields;                        ///< header fields that do not depend on when it is sent
  std::unique_ptr<QueuedStart> start;  ///< of a call frame
};

/// A call whose first message has not arrived whole: what its event will say.
struct PendingCall {
  std::uint32_t method_number = 0;
  /// Of its header block, if the event needs them. Metadata taken apart may be many times as large.
  Slice fields;
  base::TimePoint deadline = base::never;
};

using QueuedFramePool = base::ObjectPool<QueuedFrame, 1024>;

struct CallState {
  CallState(CallId call, void* call_context, void* session, base::Timer::Callback on_deadline) noexcept
      : id(call), context(call_context), deadline(on_deadline, this), owner(session) {}
  ~CallState() { drop_queue(); }
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;

  void push(QueuedFrame* frame) noexcept {
    (queue_tail != nullptr ? queue_tail->next : queue_head) = frame;
    queue_tail = frame;
  }
  QueuedFrame* pop() noexcept {
    QueuedFrame* frame = queue_head;
    queue_head = frame->next;
    if (queue_head == nullptr) queue_tail = nullptr;
    return frame;
  }
  void drop_queue() noexcept {
    while (queue_head != nullptr) QueuedFramePool::free(pop());
  }
  /// The peer may have more to send on it, also after the answer: it learns of that only when it reads.
  bool takes_more() const noexcept {
    return phase == CallPhase::closed || is_refused ? !peer_has_ended : phase < CallPhase::peer_ended;
  }
  bool has_queue() const noexcept { return queue_head != nullptr; }
  /// Client: the peer has been sent something of it.
  bool has_begun() const noexcept { return sent_start || (has_queue() && queue_head->started); }

  CallId id;
  CallPhase phase = CallPhase::open;
  bool one_way = false;
  bool in_ring = false;       ///< linked in the send queue's ring
  bool sent_start = true;     ///< client: its call frame has been sent, with the whole of its message if it has one
  bool sent_message = false;  ///< server: a message frame has been sent, leading metadata is past
  bool received_leading = false;
  bool is_refused = false;      ///< server, ordered: only its finish is missing, what still comes is discarded
  bool peer_has_ended = false;  ///< server, closed or refused: the client had nothing more to send
  bool owes_writable = false;   ///< is_writable() has said no
  void* context;
  std::int64_t send_credit = 0;
  std::int64_t receive_credit = 0;     ///< what the peer may still send
  std::size_t kept_bytes = 0;          ///< server: of its metadata, counted as unread
  std::int64_t returnable_credit = 0;  ///< consumed and not yet granted again; below 0 while long messages are unread
  QueuedFrame* queue_head = nullptr;
  QueuedFrame* queue_tail = nullptr;
  CallState* ring_next = nullptr;
  CallState* ring_previous = nullptr;
  MessageAssembly assembly;
  std::unique_ptr<PendingCall> pending;  ///< server: not handed out yet
  base::Timer deadline;
  void* owner;
};

using CallStatePool = base::ObjectPool<CallState>;

}  // namespace trunkline::session
