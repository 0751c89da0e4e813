// SPDX-License-Identifier: MIT
// NativeSession: the native protocol, version 1 (docs/wire.md), as a state machine composed of objects.
#pragma once

#include "base/timer_wheel.h"
#include "session/closing_events.h"
#include "session/input_watch.h"
#include "session/keepalive.h"
#include "session/local_events.h"
#include "session/memory_retry.h"
#include "session/memory_share.h"
#include "session/native/call_receiver.h"
#include "session/native/call_sender.h"
#include "session/native/connection_phase.h"
#include "session/native/current_event.h"
#include "session/native/frame_decoder.h"
#include "session/native/goaway_state.h"
#include "session/native/memory_pause.h"
#include "session/native/negotiation.h"
#include "session/native/open_calls.h"
#include "session/native/pong_limit.h"
#include "session/native/receive_credit.h"
#include "session/native/send_path.h"
#include "session/native/uncharged_limit.h"
#include "session/session.h"
#include "session/stall_watch.h"

#include <memory>

namespace trunkline::session::native {

/// `options`, `timers` and `owner` outlive the session. `now` is the time of construction. `account` counts what the
/// peer's address holds of options.memory, and may be null.
std::unique_ptr<Session> make_native_session(Role role, const SessionOptions& options, base::TimerWheel& timers,
                                             SessionOwner& owner, base::TimePoint now,
                                             std::shared_ptr<MemoryAccount> account = nullptr);

/// Owns the life of the connection: its phase, the handshake, drain and end, and the order in which its parts get a
/// turn. Everything else belongs to a part. A part uses only the parts above it:
///
///     Negotiation    both hellos: limits, codec and compressor numbers
///     SendPath       the output, the queue of frames that wait for credit or their turn, congestion
///     ReceiveCredit  the credit given to the peer
///     MemoryShare    what the connection has taken of the budget of its server or channel
///     OpenCalls      calls that have an entry, their ids, the memory retained for them
///     CurrentEvent    what the session owes for the event that was handed out last
///     UnchargedLimit how many frames the peer may send that cost no credit
///     FrameDecoder   bytes to frames
///     CallReceiver   frames about calls to events
///     CallSender     calls, messages and responses to frames
///
/// GoawayState, Keepalive, StallWatch, InputWatch, MemoryPause, MemoryRetry, PongLimit and LocalEvents stand by
/// themselves. Frames about the connection itself (hello, goaway, ping, pong) are dealt with here, since they move the
/// phase.
///
/// It has more than 40 functions because 28 of them are Session's, most of which forward to one part.
class NativeSession final : public Session, private FrameSource {
 public:
  NativeSession(Role role, const SessionOptions& options, base::TimerWheel& timers, SessionOwner& owner,
                base::TimePoint now, std::shared_ptr<MemoryAccount> account);

  /// There is no room while the peer does not take its responses: the rest of the input waits in its socket. There is
  /// little or no room while memory is used up.
  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override {
    if (path_.is_stalled() || memory_share_.is_used_up()) [[unlikely]]
      return prepare_little(out);
    return decoder_.input().prepare(out);
  }
  void received(std::size_t size, base::TimePoint now) override;
  void received_nothing() noexcept override { decoder_.input().release_unused(); }
  bool next(Event& event) override;

  std::size_t gather(std::span<ByteSpan> out) override;
  void wrote(std::size_t size) override;
  bool has_output() const noexcept override {
    return path_.has_output() || (goaway_.is_deferred() && path_.queue().is_idle());
  }
  std::size_t unsent_bytes() const noexcept override { return path_.unsent_bytes(); }

  bool can_start() const noexcept override;
  AwaitedLimit awaited_limit() const noexcept override;
  Result<CallId> start(const CallStart& start, const OutgoingMessage& message) override;
  void cancel(CallId id, StatusCode reason) override;

  void attach(CallId id, void* context) override;
  Status decompress(Event& event) override { return event.is_compressed ? receiver_.decompress(event) : Status(); }
  Status finish(CallId id, const Status& status, const OutgoingMessage& message, const Metadata* trailing,
                bool unprocessed) override;

  Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) override;
  bool is_writable(CallId id) const noexcept override;
  std::uint64_t received_of_message(CallId id) const noexcept override;
  void release(CallId id, const MessageCredit& credit) override;
  void release_queued(CallId id, const MessageCredit& credit) override;

  void drain() override;
  bool is_drained() const noexcept override;
  void close(const Status& reason) override;
  void transport_closed(const Status& reason) override;
  bool is_closed() const noexcept override { return phase_ == ConnectionPhase::closed; }
  const Status& close_reason() const noexcept override { return closing_.reason(); }
  bool is_open() const noexcept override { return negotiation_.is_complete(); }
  std::size_t open_calls() const noexcept override { return calls_.size() + (current_.has_call() ? 1u : 0u); }
  std::string_view protocol_name() const noexcept override { return "native"; }
  std::size_t held_bytes() const noexcept override;
  /// A layer around the session holds `bytes` for the same peer. The memory budget counts them with the session's own.
  void set_outer_bytes(std::size_t bytes) noexcept;
  std::uint64_t payload_bytes_accepted() const noexcept override { return sender_.payload_bytes_accepted(); }
  bool is_ordered() const noexcept override { return negotiation_.is_ordered(); }

 private:
  /// Says what one look at the input has brought.
  enum class Step : std::uint8_t { event, again, needs_input };

  // --- FrameSource ---
  void write_block(const QueuedFrame& frame, bool last, BufferWriter& out, std::uint32_t& number) override {
    sender_.write_block(frame, last, out, number, now_);
  }
  void on_frame_sent(CallState& call, const QueuedFrame& frame) override;

  // --- input ---
  Step read_preface();
  Step refuse_preface();
  Step decode(Event& event);
  Step take_frame(const Frame& frame, Event& event);
  Step step_of(CallReceiver::Outcome outcome);
  Step on_hello(ByteSpan body, Event& event);
  Step on_goaway(const Frame& frame, Event& event);
  Step on_ping(const Frame& frame);

  // --- events that do not come from a frame ---
  void settle_current_event(Event& event);
  void finish_abandoned_call(const Event& event);
  bool take_local_event(Event& event);
  bool take_closing_event(Event& event);
  bool take_pause(Event& event);
  void notify_writable(CallState& call) noexcept;
  void notify_if_startable() noexcept;
  bool end_turn();
  void update_memory();
  void count_sent() noexcept;
  void count_held() noexcept;
  void admit_waiting();
  void return_credit(CallId id, const MessageCredit& credit) {
    credit_.return_connection(credit.connection_bytes);
    if ((credit.call_bytes | credit.further_bytes) != 0) return_call_credit(id, credit);
  }
  void return_call_credit(CallId id, const MessageCredit& credit);
  /// Returns how much memory an unread message takes; its further_bytes count as retained memory of the call.
  static std::int64_t taken_by(const MessageCredit& credit) noexcept {
    return std::int64_t{credit.call_bytes} + static_cast<std::int64_t>(credit.record_bytes());
  }
  std::size_t unread_bytes() const noexcept {
    return static_cast<std::size_t>(std::max<std::int64_t>(unread_bytes_, 0));
  }
  void await_memory() const noexcept;
  std::size_t prepare_little(std::array<MutableByteSpan, 2>& out);
  bool must_not_receive() noexcept;
  void show_life();
  bool holds_room() const noexcept;
  std::size_t partial_message_bytes() const noexcept;
  /// Call this when memory has been released. next() then makes room for messages that wait for it.
  void wake_if_waiting() {
    if (calls_.has_waiting()) [[unlikely]]
      owner_.on_session_wake();
  }

  // --- timers ---
  static void on_deadline(base::Timer& timer, void* owner, base::TimePoint now);
  void end_late_call(CallState& call);
  static void on_keepalive_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_memory_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_stall_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_input_timer(base::Timer& timer, void* owner, base::TimePoint now);

  // --- the connection ---
  void write_greeting();
  void send_goaway(StatusCode code, std::string_view text);
  void finish_unseen_calls(CallId last_seen, const Status& why);
  bool has_only_one_way_calls() const noexcept;
  Step fail(const Status& reason);
  void end_call_without_memory(CallId id) noexcept;
  void end_without_memory() noexcept;
  void end_session(const Status& reason) noexcept;

  const Role role_;
  ConnectionPhase phase_ = ConnectionPhase::preface;
  /// can_start() has returned false: an event says when it would return true again.
  mutable bool is_start_awaited_ = false;
  /// A call owes `writable` and has nothing queued, so that wrote() looks for it.
  mutable bool is_writable_awaited_ = false;
  const SessionOptions& options_;
  base::TimerWheel& timers_;
  SessionOwner& owner_;
  /// This is the time of the last input, timer or start with a deadline.
  base::TimePoint now_;

  Negotiation negotiation_;
  SendPath path_;
  ReceiveCredit credit_;
  MemoryShare memory_share_;
  /// memory_share_ has counted this much of the output.
  std::size_t counted_output_ = 0;
  /// These are the bytes given to set_outer_bytes(), and how many of them have been counted.
  std::size_t outer_bytes_ = 0;
  std::size_t counted_outer_ = 0;
  /// can_start() waits for memory as well.
  mutable MemoryRetry memory_retry_;
  OpenCalls calls_;
  CurrentEvent current_;
  GoawayState goaway_;
  UnchargedLimit uncharged_;
  FrameDecoder decoder_;
  CallReceiver receiver_;
  CallSender sender_;
  LocalEvents local_events_;
  Keepalive keepalive_;
  PongLimit pongs_;
  StallWatch stall_;
  InputWatch input_watch_;
  MemoryPause memory_pause_;
  /// A long frame of the peer's waits for its turn because the budget is used up. Those who hold memory are told that
  /// it is wanted.
  bool waits_for_reservation_ = false;
  /// Counts the steps so far that brought no event.
  std::size_t quiet_steps_ = 0;
  /// Counts what messages of events that were retained and not released take. A message may be released inside its
  /// event, before it is counted.
  std::int64_t unread_bytes_ = 0;
  ClosingEvents closing_;
};

}  // namespace trunkline::session::native
