// SPDX-License-Identifier: MIT
// CallReceiver: turns frames about calls into events (docs/wire.md, sections 6 to 8).
#pragma once

#include "session/native/current_event.h"
#include "session/native/deferred_calls.h"
#include "session/native/frame_decoder.h"
#include "session/native/goaway_state.h"
#include "session/native/inbound_method_ids.h"
#include "session/native/message_reader.h"
#include "session/native/open_calls.h"
#include "session/native/receive_credit.h"
#include "session/native/send_path.h"
#include "wire/body.h"
#include "wire/header_block.h"

#include <memory>

namespace trunkline::session::native {

/// Owns what only frames of the peer change: the method ids it has defined and the calls that are deferred. The table
/// in call_phase.h says what a frame means for its call. try_take_unary() is a fast path for the most frequent frames;
/// the other functions produce the same events for them.
class CallReceiver {
 public:
  enum class Outcome : std::uint8_t {
    /// The event is to be handed out.
    event,
    /// The frame has been dealt with.
    done,
    /// The peer broke a rule of the connection: error() says which.
    failed,
  };
  /// The receiver works on these parts, all of which outlive it.
  struct Parts {
    const Negotiation& negotiation;
    SendPath& path;
    ReceiveCredit& credit;
    OpenCalls& calls;
    CurrentEvent& current;
    const GoawayState& goaway;
  };

  CallReceiver(Role role, const SessionOptions& options, const Parts& parts, SessionOwner& owner) noexcept
      : role_(role),
        options_(options),
        negotiation_(parts.negotiation),
        path_(parts.path),
        credit_(parts.credit),
        calls_(parts.calls),
        current_(parts.current),
        goaway_(parts.goaway),
        owner_(owner),
        messages_(options, parts.negotiation, parts.credit, parts.calls, parts.current, owner) {}

  /// Takes, as the fast path, a complete unary call or response in a known codec, uncompressed and without a header
  /// block, on an open connection. Returns false and changes nothing if the frame needs take().
  bool try_take_unary(const Frame& frame, Event& event);
  /// Takes a call, message, finish, cancel or credit frame. `event` is clear.
  Outcome take(const Frame& frame, base::TimePoint now, Event& event);

  bool has_deferred() const noexcept { return deferred_ != nullptr; }
  /// Returns true if a deferred frame need not wait any longer, or must not: while memory is short its call is refused.
  bool is_deferred_ready() const noexcept {
    return deferred_->has_rest() || !path_.is_half_congested() || calls_.memory().is_short();
  }
  /// Takes the next deferred frame. Needs has_deferred().
  Outcome take_deferred(base::TimePoint now, Event& event);
  void drop_deferred() noexcept { deferred_.reset(); }
  /// Returns what deferred frames take beside the bytes for which their credit is held.
  std::size_t deferred_bytes() const noexcept { return deferred_ != nullptr ? deferred_->node_bytes() : 0; }
  /// A server's client has sent its first goaway. Calls that it has sent before are served, even if they are deferred.
  void note_goaway() noexcept {
    last_before_goaway_ = deferred_ != nullptr ? deferred_->newest(calls_.ids().newest()) : calls_.ids().newest();
  }

  /// Decompresses the message of the event in hand, as Session::decompress() says.
  Status decompress(Event& event);
  /// Turns the event into that of a call whose message came in chunks and that has not been handed out.
  void hand_out_pending(CallState& call, Event& event);
  const Status& error() const noexcept { return error_; }

 private:
  bool try_take_unary_call(const wire::FrameHeader& header, std::size_t size, Event& event);
  bool try_take_unary_response(const wire::FrameHeader& header, std::size_t size, Event& event);

  Outcome dispatch(const Frame& frame, base::TimePoint now, Event& event);
  bool must_defer(const wire::FrameHeader& header) const noexcept;
  Outcome defer(const Frame& frame);

  Outcome on_call(const Frame& frame, base::TimePoint now, Event& event);
  Outcome accept(const Frame& frame, base::TimePoint now, Event& event);
  Status accept_id(CallId id);
  Status find_method(const wire::FrameHeader& header, const wire::HeaderBlock& block, std::string_view& name);
  Outcome admit(const Frame& frame, const wire::HeaderBlock& block, const wire::FrameBody& body, base::TimePoint now,
                Event& event);
  Outcome begin_call(const Frame& frame, const wire::HeaderBlock& block, const wire::FrameBody& body, Event& event);
  Outcome on_message(const Frame& frame, Event& event);
  Outcome on_message_of(CallState& call, const Frame& frame, const wire::HeaderBlock& block, ByteSpan chunk,
                        Event& event);
  Status read_message(CallState& call, const Frame& frame, const wire::HeaderBlock& block, ByteSpan chunk,
                      CallAction action, Event& event);
  Outcome on_finish(const Frame& frame, Event& event);
  void read_finish(CallState& call, const Frame& frame, const wire::HeaderBlock& block, ByteSpan message, Event& event);
  Outcome on_cancel(const wire::FrameHeader& header, Event& event);
  Outcome on_credit(const wire::FrameHeader& header);
  Status read_block(const Frame& frame, wire::FrameBody& body, wire::HeaderBlock& block) const;
  void hand_out_credit(CallState* call, const MessageCredit& credit, Event& event);

  Outcome refuse(const Frame& frame, const Status& why, Event& event);
  Outcome refuse_unreadable(const Frame& frame, Status why, Event& event);
  Outcome refuse_in_turn(const wire::FrameHeader& header, const Status& why, Event& event);
  void discard(const Frame& frame, bool has_more_frames = false);
  Outcome break_call(CallState& call, const Status& why, Event& event);
  Outcome break_in_turn(CallState& call, std::uint32_t call_bytes, const Status& why, Event& event);
  Outcome fail(Status error);

  const Role role_;
  const SessionOptions& options_;
  const Negotiation& negotiation_;
  SendPath& path_;
  ReceiveCredit& credit_;
  OpenCalls& calls_;
  CurrentEvent& current_;
  const GoawayState& goaway_;
  SessionOwner& owner_;
  InboundMethodIds methods_;
  /// Owns the name of the method while the event of a pending call is in hand.
  std::shared_ptr<const std::string> name_in_hand_;
  MessageReader messages_;
  /// The pointer is null while no call is deferred.
  std::unique_ptr<DeferredCalls> deferred_;
  /// This is the client's last call before its goaway. It has a meaning once the goaway has come.
  CallId last_before_goaway_ = 0;
  Status error_;
};

}  // namespace trunkline::session::native
