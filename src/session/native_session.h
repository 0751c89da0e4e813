// SPDX-License-Identifier: MIT
// NativeSession: the native protocol, version 1 (docs/wire.md), as a state machine.
#pragma once

#include "base/timer_wheel.h"
#include "session/call_table.h"
#include "session/connection_phase.h"
#include "session/held_frames.h"
#include "session/message_encoding.h"
#include "session/method_table.h"
#include "session/negotiation.h"
#include "session/output_queue.h"
#include "session/receive_buffer.h"
#include "session/send_queue.h"
#include "session/session.h"
#include "wire/body.h"
#include "wire/header_block.h"

#include <memory>
#include <optional>
#include <vector>

namespace trunkline::session {

/// `options`, `timers` and `owner` outlive the session. `now` is the time of construction; handshake_timeout counts
/// from `since`, when the connection was made, if that is known to be earlier.
std::unique_ptr<Session> make_native_session(Role role, const SessionOptions& options, base::TimerWheel& timers,
                                             SessionOwner& owner, base::TimePoint now,
                                             std::optional<base::TimePoint> since = {});

class NativeSession final : public Session, private FrameSource {
 public:
  NativeSession(Role role, const SessionOptions& options, base::TimerWheel& timers, SessionOwner& owner,
                base::TimePoint now, std::optional<base::TimePoint> since = {});
  ~NativeSession() override;

  /// No room while the peer does not take its answers: the rest of the input waits in its socket.
  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override {
    return is_stalled_ && phase_ != ConnectionPhase::closed ? 0 : input_.prepare(out);
  }
  void received(std::size_t size, base::TimePoint now) override;
  void received_nothing() noexcept override { input_.rest(); }
  bool next(Event& event) override;

  std::size_t gather(std::span<ByteSpan> out) override;
  void wrote(std::size_t size) override;
  bool has_output() const noexcept override {
    return !output_.empty() || (!send_queue_.is_idle() && can_pump_) || (goaway_owed_ && send_queue_.is_idle());
  }
  std::size_t unsent_bytes() const noexcept override { return output_.size() + send_queue_.queued_bytes(); }

  bool can_start() const noexcept override;
  Result<CallId> start(const CallStart& start, const Outgoing& message) override;
  void cancel(CallId id, StatusCode reason) override;

  void attach(CallId id, void* context) override;
  Status finish(CallId id, const Status& status, const Outgoing& message, const Metadata* trailing,
                bool unprocessed) override;

  Status send(CallId id, const Outgoing& message, const Metadata* leading, bool end) override;
  bool is_writable(CallId id) const noexcept override;
  void release(CallId id, const HeldCredit& credit) override;

  void drain() override;
  bool is_drained() const noexcept override;
  void close(const Status& reason) override;
  void transport_closed(const Status& reason) override;
  bool is_closed() const noexcept override { return phase_ == ConnectionPhase::closed; }
  const Status& close_reason() const noexcept override { return close_reason_; }
  bool is_open() const noexcept override { return negotiation_.is_complete(); }
  std::size_t open_calls() const noexcept override { return calls_.size() + (current_.is_live() ? 1u : 0u); }
  std::uint64_t payload_bytes_taken() const noexcept override { return payload_bytes_taken_; }
  bool is_ordered() const noexcept override { return negotiation_.is_ordered(); }
  bool peer_accepts(const Codec& codec) const noexcept override { return negotiation_.peer_accepts(codec); }
  bool peer_accepts(const Compressor& compressor) const noexcept override {
    return negotiation_.peer_accepts(compressor);
  }

 private:
  /// The call of the event handed out last, while it is not in the table.
  struct CurrentCall {
    CallId id = 0;
    enum class State : std::uint8_t { none, waiting, one_way } state = State::none;
    bool end = false;
    base::TimePoint deadline = base::never;
    std::size_t kept_bytes = 0;
    bool is_refused = false;
    bool is_live() const noexcept { return state != State::none; }
  };
  /// An event that did not come from a frame.
  struct LocalEvent {
    EventType type;
    CallId id;
    void* context;
    Status status;
  };

  /// What became of a look at the input.
  enum class Step : std::uint8_t { event, again, starved };

  // native_receive.cpp: bytes to frames to events.
  Step read_preface();
  Step decode(Event& event);
  Step decode_skipped();
  Step take_held(Event& event);
  Step wait_for_body(const wire::FrameHeader& header);
  Step finish_body(Event& event);
  Step take_frame(const wire::FrameHeader& header, ByteSpan body, Block* block, Event& event);
  Step on_call_related(const wire::FrameHeader& header, ByteSpan body, Block* block, Event& event);
  Step on_hello_frame(ByteSpan body, Event& event);
  Step on_goaway_frame(const wire::FrameHeader& header, ByteSpan body, Event& event);
  Step on_ping_frame(const wire::FrameHeader& header, ByteSpan body);
  Step on_credit_frame(const wire::FrameHeader& header);
  bool is_held_back(const wire::FrameHeader& header) const noexcept;
  Step hold_frame(const wire::FrameHeader& header, ByteSpan body, Block* block);

  // native_plain.cpp: the usual frames, at once.
  bool take_plain_frame(const wire::FrameHeader& header, ByteSpan body, Event& event);
  bool take_plain_call(const wire::FrameHeader& header, std::size_t size, Event& event);
  bool take_plain_answer(const wire::FrameHeader& header, std::size_t size, Event& event);
  bool write_plain(wire::FrameHeader header, const Outgoing& message, std::int64_t call_credit, std::size_t& size);

  // native_calls.cpp: frames about calls.
  Step on_call_frame(const wire::FrameHeader& header, ByteSpan body, Block* block, Event& event);
  Step admit_call(const wire::FrameHeader& header, ByteSpan body, const wire::HeaderBlock& block,
                  const wire::FrameBody& parts, Block* owner, Event& event);
  Step begin_call(const wire::FrameHeader& header, const wire::HeaderBlock& block, const wire::FrameBody& parts,
                  Block* owner, Event& event);
  static std::size_t kept_bytes(const wire::FrameHeader& header, const wire::HeaderBlock& block) noexcept;
  void keep_bytes(CallState& call, std::size_t bytes) noexcept;
  void drop_kept(CallState& call) noexcept;
  Step hand_out_call(CallState& call, Event& event);
  void take_pending(CallState& call, Event& event);
  void hand_out_credit(CallState* call, const HeldCredit& credit, Event& event);
  Step on_message_frame(const wire::FrameHeader& header, ByteSpan body, Block* block, Event& event);
  Step on_message_of(CallState& call, const wire::FrameHeader& header, const wire::HeaderBlock& block, ByteSpan piece,
                     Block* owner, Event& event);
  Step on_finish_frame(const wire::FrameHeader& header, ByteSpan body, Block* block, Event& event);
  Step on_cancel_frame(const wire::FrameHeader& header, Event& event);
  bool find_method(const wire::FrameHeader& header, const wire::HeaderBlock& block, std::string_view& name);
  bool read_block(const wire::FrameHeader& header, ByteSpan body, wire::FrameBody& parts, wire::HeaderBlock& block);
  wire::Sender peer_sender() const noexcept {
    return role_ == Role::client ? wire::Sender::server : wire::Sender::client;
  }
  /// What a frame counts against the connection's credit.
  static constexpr std::uint32_t cost_of(const wire::FrameHeader& header) noexcept {
    return static_cast<std::uint32_t>(wire::header_bytes) + header.length;
  }
  static bool is_after(CallId id, CallId other) noexcept { return static_cast<std::int32_t>(id - other) > 0; }
  bool was_opened(CallId id) const noexcept { return ids_wrapped_ ? !is_after(id, last_id_) : id <= last_id_; }

  // native_refusal.cpp: calls that the session refuses or breaks off.
  Step refuse_call(const wire::FrameHeader& header, ByteSpan body, const Status& why, Event& event);
  Step refuse_in_turn(const wire::FrameHeader& header, const Status& why, Event& event);
  bool keeps_turn(const CallState& call) const noexcept;
  void refuse_rest(CallState& call);
  void discard(const wire::FrameHeader& header, ByteSpan body, bool goes_on = false);
  Step break_call(CallState& call, const Status& why, Event& event);

  // native_message.cpp: messages out of frames.
  Status take_message(const wire::FrameHeader& header, ByteSpan payload, Block* owner, Event& event);
  Status take_piece(CallState& call, const wire::FrameHeader& header, const wire::HeaderBlock& block, ByteSpan piece,
                    Event& event);
  Status begin_assembly(CallState& call, const wire::FrameHeader& header, const wire::HeaderBlock& block);
  void drop_assembly(CallState& call) noexcept;
  bool has_room_for(std::uint64_t size) const noexcept;
  Status too_much_unread(std::uint64_t size) const;
  Status decode_payload(std::uint8_t codec, std::uint8_t compressor, ByteSpan payload, Event& event);
  bool check_numbers(const wire::FrameHeader& header, bool first);

  // native_send.cpp: calls and messages to frames.
  std::uint8_t direct_codec(const Outgoing& message) noexcept;
  bool measure(const Outgoing& message, std::uint8_t& codec, std::size_t& size) noexcept;
  bool may_send_direct(std::size_t body, std::size_t message, std::int64_t call_credit) const noexcept;
  void write_direct(wire::FrameHeader header, ByteSpan block, const Outgoing& message, std::size_t size);
  std::size_t header_room() const noexcept;
  Status check_start(const CallStart& start) const;
  CallId next_id() noexcept;
  void start_direct(CallId id, const CallStart& start, const Outgoing& message, std::uint8_t codec, std::size_t size);
  Status queue_start(CallState& call, const CallStart& start, const Outgoing& message);
  Status queue_message(CallState& call, const Outgoing& message, Slice fields, std::uint8_t flags);
  Status leading_fields(const Metadata& leading, Slice& fields) const;
  void write_block(const QueuedFrame& frame, bool last, BufferWriter& out, std::uint32_t& number) override;
  void on_frame_sent(CallState& call, const QueuedFrame& frame) override;

  // native_finish.cpp: the server's answers.
  bool finish_direct(CallId id, const Outgoing& message, std::int64_t call_credit);
  Status finish_queued(CallId id, CallState* call, const Status& status, const Outgoing& message,
                       const Metadata* trailing, bool unprocessed);
  Slice finish_fields(const Status& status, const Metadata* trailing, bool& too_long);
  void write_finish(CallId id, const Status& status, bool unprocessed, ByteSpan fields);

  // native_end.cpp: timers, drain and the end.
  static void on_deadline(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_handshake_timer(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_keepalive_timer(base::Timer& timer, void* owner, base::TimePoint now);
  void arm_keepalive(base::TimePoint now);
  void drop_unseen_calls(CallId last_seen, const Status& why);
  bool only_one_way_calls() const noexcept;
  bool take_closing_event(Event& event);
  Step fail(Status reason);
  void end_session(const Status& reason);
  void send_goaway(StatusCode code, std::string_view text);

  // native_session.cpp: the connection.
  void write_greeting();
  void write_control(const wire::FrameHeader& header);
  void notify_writable(CallState& call);
  CallState* open_call(CallId id, void* context);
  void forget_call(CallState& call);
  void destroy_call(CallState& call);
  void settle_last_event(Event& event);
  static void clear_event(Event& event);
  void abandon_unanswered(const Event& event);
  bool take_local_event(Event& event);
  void complete_refusal(Event& event);
  void return_connection_credit(std::uint32_t bytes);
  void return_call_credit(CallState& call, std::int64_t bytes);
  void say_owed_goaway();
  void notify(LocalEvent event);
  void drop_local_events(CallId id);
  void refresh_startable();
  /// Bytes that wait for the socket. What is queued while the socket keeps up waits for the peer's credit.
  std::size_t waiting_for_socket() const noexcept {
    return output_.size() < pump_target() ? output_.size() : output_.size() + send_queue_.queued_bytes();
  }
  std::size_t pump_target() const noexcept { return 2 * std::size_t{options_.limits.chunk_bytes}; }
  bool is_congested(std::size_t max_unsent) const noexcept {
    return waiting_for_socket() > max_unsent || send_queue_.queued_memory() > blocked_share * max_unsent;
  }
  bool must_wait_for_socket() noexcept;
  void pump();

  /// How many times max_unsent_bytes may be queued for want of the peer's credit. A call whose answer nobody reads must
  /// not keep others from running, so this is not as tight.
  static constexpr std::size_t blocked_share = 16;

  const Role role_;
  const SessionOptions& options_;
  base::TimerWheel& timers_;
  SessionOwner& owner_;
  base::TimePoint now_;
  base::TimePoint last_received_;

  ConnectionPhase phase_ = ConnectionPhase::preface;
  Negotiation negotiation_;
  ReceiveBuffer input_;
  OutputQueue output_;
  SendQueue send_queue_;
  CallTable calls_;
  TaughtMethods taught_;
  LearntMethods learnt_;
  BufferWriter scratch_;
  // The last kind of message that had a direct form, so that a name is not compared for each.
  const Codec* direct_codec_ = nullptr;
  const MessageType* direct_type_ = nullptr;
  std::uint8_t direct_number_ = 0;

  CallId last_id_ = 0;    ///< client: of the last call started; server: of the last call seen
  CallId goaway_id_ = 0;  ///< server: what was said in goaway
  CallId peer_goaway_id_ = 0;
  bool ids_wrapped_ = false;
  bool drain_wanted_ = false;
  bool goaway_sent_ = false;
  bool goaway_owed_ = false;
  bool goaway_received_ = false;
  bool is_stalled_ = false;  ///< server: no further input until the peer has taken some of the output
  bool wrote_since_ping_ = false;
  bool can_pump_ = true;  ///< false: everything queued waits for credit
  mutable bool refused_start_ = false;
  bool closed_event_given_ = false;
  bool awaiting_pong_ = false;
  base::TimePoint ping_sent_{};
  /// A call owes `writable` and has nothing queued: wrote() looks for it.
  mutable bool is_writable_waited_for_ = false;
  std::uint64_t payload_bytes_taken_ = 0;
  std::uint64_t written_ = 0;    ///< bytes, in all
  std::uint64_t pong_mark_ = 0;  ///< the pongs counted in pongs_before_mark_ are out when so much is written
  std::uint32_t pongs_before_mark_ = 0;
  std::uint32_t pongs_after_mark_ = 0;
  Status close_reason_;

  std::int64_t receive_credit_ = 0;
  std::uint32_t returnable_credit_ = 0;
  std::size_t unread_bytes_ = 0;    ///< taken by long messages that the application has
  std::size_t assembly_bytes_ = 0;  ///< of unfinished messages, and of the metadata of open calls
  std::size_t refused_calls_ = 0;   ///< ordered: open, and to be finished in their turn

  CurrentCall current_;
  CallId unattached_ = 0;   ///< a call in the table that was handed out with the last event and has no context yet
  HeldCredit last_credit_;  ///< of the event handed out last
  CallId last_credit_call_ = 0;
  Slice frame_bytes_;  ///< the last frame's body, if it is not in input_, or fields that the last event is of
  Slice event_bytes_;  ///< what the last event's payload lives in, if not in input_
  wire::FrameHeader body_header_{};
  Block* body_block_ = nullptr;  ///< a frame whose body is being received in place
  bool body_pending_ = false;
  std::size_t skip_ = 0;  ///< bytes of an unknown frame still to be passed over

  std::unique_ptr<HeldFrames> held_;  ///< null: none
  std::vector<LocalEvent> local_events_;
  std::size_t local_events_taken_ = 0;
  std::vector<CallId> closing_calls_;  ///< calls the end of the session is still to be told of, the oldest last

  base::Timer handshake_timer_;
  base::Timer keepalive_timer_;
};

}  // namespace trunkline::session
