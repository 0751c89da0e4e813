// SPDX-License-Identifier: MIT
// Bytes to frames: the decoder's loop and the frames about the connection itself.
#include "session/native_session.h"

#include "wire/control.h"
#include "wire/foreign_peer.h"
#include "wire/preface.h"
#include "wire/text.h"

#include <algorithm>
#include <string>

namespace trunkline::session {

namespace {

/// An incomplete body at least this long is received in a block of its own instead of passing through the read buffer.
constexpr std::uint32_t direct_body_bytes = 8 * 1024;

constexpr bool is_about_calls(wire::FrameType type) noexcept {
  return type >= wire::FrameType::call && type <= wire::FrameType::credit;
}

/// True for frames that cost connection credit (docs/wire.md, section 8).
constexpr bool is_charged(const wire::FrameHeader& header) noexcept {
  return header.type == wire::FrameType::call || header.type == wire::FrameType::message ||
         (header.type == wire::FrameType::finish && header.has(wire::flag::message));
}

Status foreign_peer(std::string_view speaks) {
  std::string text = "handshake: the peer does not speak the native protocol";
  if (!speaks.empty()) text.append("; it seems to speak ").append(speaks);
  return {StatusCode::internal, text};
}

Status frame_before_hello() { return {StatusCode::internal, "handshake: a frame came before hello"}; }

}  // namespace

NativeSession::Step NativeSession::read_preface() {
  const std::size_t size = std::min(input_.size(), wire::preface.size());
  const bool matches = size == 0 || std::memcmp(input_.data(), wire::preface.data(), size) == 0;
  if (matches && size < wire::preface.size()) return Step::starved;
  const ConnectionTransition step =
      transition(phase_, matches ? ConnectionInput::good_preface : ConnectionInput::bad_preface);
  if (step.action != ConnectionAction::proceed) {
    const ByteSpan bytes(input_.data(), input_.size());
    return fail(foreign_peer(role_ == Role::client ? wire::guess_foreign_peer(bytes) : std::string_view()));
  }
  input_.consume(wire::preface.size());
  phase_ = step.next;
  if (role_ == Role::server) write_greeting();
  return Step::again;
}

NativeSession::Step NativeSession::decode(Event& event) {
  if (body_pending_) return input_.body_missing() > 0 ? Step::starved : finish_body(event);
  if (skip_ > 0) return decode_skipped();
  if (input_.size() < wire::header_bytes) {
    input_.need(wire::header_bytes);
    return Step::starved;
  }
  const wire::FrameHeader header = wire::read_header(input_.data());
  if (input_.size() - wire::header_bytes < header.length ||
      !wire::frame_rules::is_valid_call_frame(header, peer_sender())) {
    Status why;
    const wire::FrameVerdict verdict = wire::check_header(header, peer_sender(), why);
    if (verdict == wire::FrameVerdict::refuse || !wire::check_length(header, options_.limits.max_frame_bytes, why))
      return fail(why);
    if (phase_ == ConnectionPhase::hello && header.type != wire::FrameType::hello &&
        header.type != wire::FrameType::goaway) {
      return fail(frame_before_hello());
    }
    if (verdict == wire::FrameVerdict::skip) {
      skip_ = wire::header_bytes + std::size_t{header.length};
      return Step::again;
    }
    if (input_.size() - wire::header_bytes < header.length) return wait_for_body(header);
  } else if (Status why; !wire::check_length(header, options_.limits.max_frame_bytes, why)) {
    return fail(why);
  }
  const ByteSpan body(input_.data() + wire::header_bytes, header.length);
  input_.consume(wire::header_bytes + body.size());
  if (take_plain_frame(header, body, event)) [[likely]]
    return Step::event;
  return take_frame(header, body, input_.block(), event);
}

NativeSession::Step NativeSession::decode_skipped() {
  constexpr std::size_t most_at_once = 16 * 1024;
  const std::size_t part = std::min(skip_, input_.size());
  input_.consume(part);
  skip_ -= part;
  if (skip_ == 0) return Step::again;
  input_.need(std::min(skip_, most_at_once));
  return Step::starved;
}

/// The body is not all here. A long one is received in a block of its own.
NativeSession::Step NativeSession::wait_for_body(const wire::FrameHeader& header) {
  if (header.length < direct_body_bytes) {
    input_.need(wire::header_bytes + header.length);
    return Step::starved;
  }
  // No memory for what the peer may not send.
  if (!is_charged(header)) {
    const std::size_t longest = wire::block_size_bytes + std::size_t{options_.limits.max_header_bytes};
    if (header.type == wire::FrameType::finish && header.length > longest) {
      return fail(Status(StatusCode::resource_exhausted, "receive frame: length " + std::to_string(header.length) +
                                                             " of a finish without message exceeds max_header_bytes " +
                                                             std::to_string(options_.limits.max_header_bytes)));
    }
    input_.need(wire::header_bytes + header.length);
    return Step::starved;
  }
  if (receive_credit_ < static_cast<std::int64_t>(wire::header_bytes) + header.length) {
    return fail(Status(StatusCode::resource_exhausted, "receive frame: length " + std::to_string(header.length) +
                                                           " exceeds the credit left of connection_credit_bytes " +
                                                           std::to_string(options_.limits.connection_credit_bytes)));
  }
  body_header_ = header;
  body_pending_ = true;
  input_.consume(wire::header_bytes);
  body_block_ = Block::allocate(header.length);
  input_.expect_body(body_block_->data(), header.length);
  return Step::again;
}

NativeSession::Step NativeSession::finish_body(Event& event) {
  body_pending_ = false;
  frame_bytes_ = Slice(std::exchange(body_block_, nullptr), nullptr, 0);
  Block* block = frame_bytes_.block();
  return take_frame(body_header_, {block->data(), body_header_.length}, block, event);
}

NativeSession::Step NativeSession::take_frame(const wire::FrameHeader& header, ByteSpan body, Block* block,
                                              Event& event) {
  if (is_about_calls(header.type)) [[likely]] {
    const ConnectionTransition step = transition(phase_, ConnectionInput::call_frame);
    if (step.action == ConnectionAction::fail) return fail(frame_before_hello());
    if (is_charged(header)) {
      receive_credit_ -= static_cast<std::int64_t>(wire::header_bytes) + header.length;
      if (receive_credit_ < 0) {
        return fail(
            Status(StatusCode::resource_exhausted, "receive frame: " + std::to_string(-receive_credit_) +
                                                       " bytes over connection_credit_bytes " +
                                                       std::to_string(options_.limits.connection_credit_bytes)));
      }
    }
    if (role_ == Role::server && is_held_back(header)) [[unlikely]]
      return hold_frame(header, body, block);
    return on_call_related(header, body, block, event);
  }
  if (header.type == wire::FrameType::hello) return on_hello_frame(body, event);
  if (header.type == wire::FrameType::goaway) return on_goaway_frame(header, body, event);
  return on_ping_frame(header, body);
}

NativeSession::Step NativeSession::on_call_related(const wire::FrameHeader& header, ByteSpan body, Block* block,
                                                   Event& event) {
  switch (header.type) {
    case wire::FrameType::call:
      return on_call_frame(header, body, block, event);
    case wire::FrameType::message:
      return on_message_frame(header, body, block, event);
    case wire::FrameType::finish:
      return on_finish_frame(header, body, block, event);
    case wire::FrameType::cancel:
      return on_cancel_frame(header, event);
    default:
      return on_credit_frame(header);
  }
}

/// New calls wait while too many answers wait for the client's credit, and so does what belongs to them. Frames of
/// calls that are open pass, above all credit and cancellation.
bool NativeSession::is_held_back(const wire::FrameHeader& header) const noexcept {
  const bool is_call = header.type == wire::FrameType::call;
  if (held_ == nullptr) return is_call && is_congested(options_.limits.max_unsent_bytes);
  return is_call || held_->has_call(header.call);
}

NativeSession::Step NativeSession::hold_frame(const wire::FrameHeader& header, ByteSpan body, Block* block) {
  if (held_ == nullptr) held_ = std::make_unique<HeldFrames>();
  held_->push(header, body, block);
  // Credit bounds the frames that have a cost. Of the others a call needs one cancel, and credit now and then.
  const std::size_t limit = 1024 + 4 * held_->calls();
  if (held_->uncharged() <= limit) return Step::again;
  return fail(Status(StatusCode::resource_exhausted, "receive frame: " + std::to_string(held_->uncharged()) +
                                                         " frames wait for " + std::to_string(held_->calls()) +
                                                         " calls that wait for credit, the limit is " +
                                                         std::to_string(limit)));
}

NativeSession::Step NativeSession::take_held(Event& event) {
  HeldFrame frame = held_->pop();
  if (held_->empty()) held_.reset();
  frame_bytes_ = std::move(frame.body);
  return on_call_related(frame.header, frame_bytes_.bytes(), frame_bytes_.block(), event);
}

NativeSession::Step NativeSession::on_credit_frame(const wire::FrameHeader& header) {
  if (header.call == 0) {
    if (send_queue_.credit() + header.number > wire::max_credit_bytes) {
      return fail(Status(StatusCode::resource_exhausted, "receive credit: the connection's sum exceeds 2147483647"));
    }
    send_queue_.add_credit(header.number);
    can_pump_ = true;
    return Step::again;
  }
  CallState* call = calls_.find(header.call);
  if (call == nullptr) return Step::again;
  if (call->send_credit + header.number > wire::max_credit_bytes) {
    return fail(Status(StatusCode::resource_exhausted,
                       "receive credit: the sum of call " + std::to_string(header.call) + " exceeds 2147483647"));
  }
  call->send_credit += header.number;
  send_queue_.unblock(*call);
  can_pump_ = true;
  return Step::again;
}

NativeSession::Step NativeSession::on_hello_frame(ByteSpan body, Event& event) {
  const ConnectionTransition step = transition(phase_, ConnectionInput::hello_frame);
  if (step.action == ConnectionAction::fail)
    return fail(Status(StatusCode::internal, "receive hello: hello came twice"));
  Result<wire::Hello> hello = wire::read_hello(body);
  if (!hello.is_ok()) return fail(std::move(hello).status());
  const std::uint32_t early_connection = negotiation_.peer().connection_credit;
  const std::uint32_t early_call = negotiation_.peer().call_credit;
  negotiation_.apply(*std::move(hello));
  const std::uint32_t more = negotiation_.peer().call_credit - early_call;
  send_queue_.add_credit(negotiation_.peer().connection_credit - early_connection);
  for (CallState* call : calls_.by_age(last_id_, [](const CallState&) { return true; })) {
    call->send_credit += more;
    send_queue_.unblock(*call);
  }
  can_pump_ = true;
  phase_ = step.next;
  handshake_timer_.cancel();
  arm_keepalive(now_);
  event.type = EventType::opened;
  event.id = 0;
  if (role_ == Role::server && negotiation_.is_ordered()) send_queue_.set_order(SendQueue::Order::in_order);
  if (drain_wanted_) drain();
  refresh_startable();
  return Step::event;
}

NativeSession::Step NativeSession::on_goaway_frame(const wire::FrameHeader& header, ByteSpan body, Event& event) {
  std::string_view reason;
  if (Status status = wire::read_goaway(body, reason); !status.is_ok()) return fail(status);
  const bool is_later =
      goaway_received_ && header.call != 0 && (peer_goaway_id_ == 0 || is_after(header.call, peer_goaway_id_));
  if (is_later) {
    return fail(Status(StatusCode::internal, "receive goaway: id " + std::to_string(header.call) +
                                                 " is after the one said before, " + std::to_string(peer_goaway_id_)));
  }
  goaway_received_ = true;
  peer_goaway_id_ = header.call;
  const std::string text =
      reason.empty() ? "the peer is going away" : "the peer ended the connection: " + wire::escape_controls(reason);
  const ConnectionTransition step = transition(phase_, ConnectionInput::goaway_frame);
  const bool ends = step.action == ConnectionAction::finish;
  if (!ends) phase_ = step.next;
  if (role_ == Role::client) drop_unseen_calls(header.call, Status(StatusCode::unavailable, text, StatusOrigin::peer));
  if (ends) {
    end_session(Status(StatusCode::unavailable, text, StatusOrigin::peer));
    return Step::again;
  }
  event.type = EventType::going_away;
  event.id = header.call;
  event.status =
      header.number == 0 ? Status() : Status(static_cast<StatusCode>(header.number), text, StatusOrigin::peer);
  return Step::event;
}

NativeSession::Step NativeSession::on_ping_frame(const wire::FrameHeader& header, ByteSpan body) {
  const ConnectionTransition step = transition(phase_, ConnectionInput::ping_frame);
  if (step.action == ConnectionAction::fail) return fail(frame_before_hello());
  if (header.type == wire::FrameType::pong) return Step::again;
  // Pongs are counted in two parts, so that it shows which of them are out without noting where each one is.
  if (written_ >= pong_mark_) {
    pongs_before_mark_ = std::exchange(pongs_after_mark_, 0);
    pong_mark_ = written_ + output_.size();
  }
  constexpr std::uint32_t most = 64;
  if (pongs_before_mark_ + ++pongs_after_mark_ > most) {
    return fail(
        Status(StatusCode::resource_exhausted, "receive ping: more than 64 pings unanswered, the peer does not read"));
  }
  write_control(wire::pong_header());
  output_.append(body);
  return Step::again;
}

}  // namespace trunkline::session
