// SPDX-License-Identifier: MIT
// CallState: the state of one open call in a native session.
#pragma once

#include "base/object_pool.h"
#include "base/timer_wheel.h"
#include "session/event.h"
#include "session/native/call_phase.h"
#include "session/native/message_assembly.h"
#include "wire/frame.h"

#include <memory>
#include <string>

namespace trunkline::session::native {

/// Holds what a call frame needs beside its message if it cannot be sent at once.
struct QueuedStart {
  std::uint32_t method_key = 0;
  std::string method_name;
  base::TimePoint deadline = base::never;
};

/// Holds a call, message or finish frame that waits for credit or for its turn, and may be sent in several chunks.
struct QueuedFrame {
  QueuedFrame* next = nullptr;
  wire::FrameType type{};
  /// The last chunk has these flags. The others have `more`.
  std::uint8_t flags = 0;
  std::uint8_t codec = 0;
  std::uint8_t compressor = 0;
  std::uint32_t number = 0;
  /// The first chunk has been sent.
  bool started = false;
  /// An earlier message of the call has been sent or queued: the peer's application may have to read that first.
  bool follows = false;
  /// The frame counts among the long messages that are being sent.
  bool has_place = false;
  /// This many bytes of `payload` have been sent.
  std::size_t offset = 0;
  Slice payload;
  /// Holds the header fields that do not depend on when the frame is sent.
  Slice fields;
  /// Holds the start of a call frame, and is null for other frames.
  std::unique_ptr<QueuedStart> start;
};

/// Holds what the event of a call whose first message is incomplete will contain.
struct PendingCall {
  std::uint32_t method_number = 0;
  /// The number had this name when the call began. It is null if the name is in `fields`.
  std::shared_ptr<const std::string> method_name;
  /// Holds the fields of the header block, if the event needs them. Decoded metadata may be many times as large.
  Slice fields;
  base::TimePoint deadline = base::never;
};

using QueuedFramePool = base::ObjectPool<QueuedFrame, 1024>;

struct QueuedFrameDeleter {
  void operator()(QueuedFrame* frame) const noexcept { QueuedFramePool::free(frame); }
};
/// Owns a frame that is not queued yet.
using QueuedFramePtr = std::unique_ptr<QueuedFrame, QueuedFrameDeleter>;

struct CallState;

/// Says where a call whose message waits for room stands in WaitingMessages, which alone sets and reads it. The members
/// have no values before, so that calls that never wait pay nothing for them.
struct WaitingPlace {
  enum class Queue : std::uint8_t {
    /// The message begins its call.
    requests,
    of_open_calls,
    /// The application has yet to take an earlier message of the call.
    behind_unread,
  };
  CallState* next;
  CallState* previous;
  Queue queue;
  /// The clock of a request has been started.
  bool is_timed;
};

/// This one object has all of a call's state, although its parts belong to different objects (the queue to SendQueue,
/// credit to ReceiveCredit, memory to OpenCalls): a call then takes one block from a pool and one look-up.
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
  /// The peer may send more on this call, even after the finish, because it learns of that only when it reads.
  bool takes_more() const noexcept {
    return phase == CallPhase::closed || is_refused ? !peer_has_ended : phase < CallPhase::peer_ended;
  }
  bool has_queue() const noexcept { return queue_head != nullptr; }
  /// A part of a client's call has been sent.
  bool has_begun() const noexcept { return sent_start || (has_queue() && queue_head->started); }

  CallId id;
  CallPhase phase = CallPhase::open;
  bool one_way = false;
  /// The call is linked in the ring of the send queue.
  bool in_ring = false;
  /// The call waits in the send queue until fewer long messages are being sent.
  bool is_parked = false;
  /// The call waits in the send queue for credit of its own, behind a message that the peer's application has to read.
  bool is_held_back = false;
  /// The call frame of a client has been sent, with all of its message if it has one.
  bool sent_start = true;
  /// A message has been sent or queued, so that leading metadata of a server comes too late.
  bool sent_message = false;
  bool received_leading = false;
  /// At an ordered server only the finish of the call is missing, and what still arrives is discarded.
  bool is_refused = false;
  /// At a server the client of a closed or refused call has nothing more to send.
  bool peer_has_ended = false;
  /// is_writable() has returned false, so that the call is owed an event `writable`.
  bool owes_writable = false;
  /// The last message that has come was empty and not compressed, with this codec.
  bool ends_with_empty = false;
  const Codec* empty_codec = nullptr;
  void* context;
  std::int64_t send_credit = 0;
  /// The peer may still send this many bytes on the call.
  std::int64_t receive_credit = 0;
  /// ReceiveMemory counts this many bytes for the metadata of a server's call.
  std::size_t retained_bytes = 0;
  /// This many bytes are consumed, and not yet granted again. It is below 0 while long messages are unread.
  std::int64_t returnable_credit = 0;
  QueuedFrame* queue_head = nullptr;
  QueuedFrame* queue_tail = nullptr;
  /// The queue holds this many unsent bytes of messages, in this many frames.
  std::size_t queued_bytes = 0;
  std::size_t queued_frames = 0;
  CallState* ring_next = nullptr;
  CallState* ring_previous = nullptr;
  MessageAssembly assembly;
  WaitingPlace waiting;
  /// Holds a server's call that has not been handed out yet, and is null otherwise.
  std::unique_ptr<PendingCall> pending;
  base::Timer deadline;
  /// Points to the session, for the callback of the timer.
  void* owner;
};

using CallStatePool = base::ObjectPool<CallState>;

}  // namespace trunkline::session::native
