// SPDX-License-Identifier: MIT
// Connection: reads once, has the handler take the events, and writes once.
#include "net/connection.h"

#include "base/flag_scope.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace trunkline::net {

namespace {

/// The number of reads in a row that fill the whole buffer before other connections get their turn.
constexpr int reads_per_turn = 4;
/// The number of writes in a row before other connections get their turn.
constexpr int writes_per_turn = 16;
constexpr std::size_t spans_per_write = 64;
/// The time that a peer has to close its side if the connection need not wait for that, and the interval at which
/// delivery is looked at.
constexpr std::chrono::milliseconds time_to_close{50};
/// A peer that has closed its side and may wait for a response is asked a few times whether it is there. Most responses
/// are there before the first question. One is not enough: what stands between may take the first, learn from the
/// second that its own peer is gone, and refuse the third. Afterwards the system alone asks.
constexpr int most_questions = 4;
constexpr std::chrono::milliseconds question_pause{250};
constexpr std::chrono::seconds look_pause{10};
/// A long batch is written in pieces of this many frames to a peer that waits for it, so that both sides work at the
/// same time. A piece takes long enough to hide the system call, and is short compared with the time in which a
/// sleeping peer wakes up. While the loop is busy pieces would only cost time; then write_buffer_bytes alone decides.
constexpr int frames_per_piece = 128;

}  // namespace

/// Waits for more input at the end of a scope, also if a handler has thrown.
class Connection::WaitScope {
 public:
  WaitScope(Connection& connection, bool is_due) noexcept : connection_(connection), is_due_(is_due) {}
  ~WaitScope() {
    if (is_due_) connection_.loop().defer(connection_.rearm_, DeferUntil::before_poll);
  }
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

 private:
  Connection& connection_;
  const bool is_due_;
};

Connection::Connection(std::unique_ptr<Transport> transport, ConnectionHandler& handler,
                       const ConnectionOptions& options)
    : transport_(std::move(transport)),
      handler_(handler),
      options_(options),
      turn_limit_(options.turn_bytes),
      turn_([](void* self) { static_cast<Connection*>(self)->run_turn(); }, this),
      more_reading_([](void* self) { static_cast<Connection*>(self)->read_some(); }, this),
      rearm_([](void* self) { static_cast<Connection*>(self)->wait_to_read(); }, this),
      flush_timer_([](base::Timer&, void* self, base::TimePoint) { static_cast<Connection*>(self)->run_turn(); }, this),
      hold_timer_([](base::Timer&, void* self, base::TimePoint) { static_cast<Connection*>(self)->end_hold(); }, this),
      linger_timer_([](base::Timer&, void* self, base::TimePoint) { static_cast<Connection*>(self)->linger_expired(); },
                    this),
      timeouts_(
          {.handshake = options.handshake_timeout, .idle = options.idle_timeout},
          [](base::Timer&, void* self, base::TimePoint) { static_cast<Connection*>(self)->timeout_fired(); }, this) {}

Connection::~Connection() { transport_->close(); }

Loop& Connection::loop() noexcept { return transport_->loop(); }

void Connection::start(const SessionFactory& factory, ByteSpan first_bytes, std::optional<base::TimePoint> since) {
  transport_->set_observer(this);
  session_ = factory(*this);
  timeouts_.begin_handshake(loop().timers(), since.value_or(loop().now()));
  const ByteSpan rest = receive(first_bytes);
  if (!rest.empty()) unread_ = std::make_unique<std::vector<std::byte>>(rest.begin(), rest.end());
  schedule_turn();
  wait_to_read();
}

void Connection::replace_session(SessionFactory factory, ByteSpan unread) {
  if (is_finished_ || session_->is_closed()) return;
  next_session_ = std::move(factory);
  unread_ = unread.empty() ? nullptr : std::make_unique<std::vector<std::byte>>(unread.begin(), unread.end());
  schedule_turn();
}

/// Hands `bytes` to the session. Returns the bytes for which it has no room.
ByteSpan Connection::receive(ByteSpan bytes) {
  while (!bytes.empty()) {
    std::array<MutableByteSpan, 2> room;
    const std::size_t count = session_->prepare_receive(room);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = std::min(room[i].size(), bytes.size());
      if (size > 0) std::memcpy(room[i].data(), bytes.data(), size);
      bytes = bytes.subspan(size);
      taken += size;
    }
    if (taken == 0) break;
    session_->received(taken, loop().now());
  }
  return bytes;
}

/// Hands the session as many of the unread bytes as it has room for; the others follow in a later turn.
void Connection::receive_unread() {
  const ByteSpan rest = receive(*unread_);
  if (rest.size() == unread_->size()) return;
  unread_ = rest.empty() ? nullptr : std::make_unique<std::vector<std::byte>>(rest.begin(), rest.end());
  schedule_turn();
}

void Connection::on_readable() {
  reading_ = Reading::idle;
  read_some();
}

bool Connection::look(base::TimePoint now) noexcept {
  looked_at_ = now;
  is_input_seen_ = transport_->has_input();
  return is_input_seen_;
}

void Connection::on_writable() {
  is_write_waiting_ = false;
  run_turn();
}

void Connection::on_session_wake() noexcept { schedule_turn(); }

/// Returns true if nothing may be read now. If a handler runs the loop, its event views the session's buffer: reading
/// goes on when it returns. Bytes read earlier come first. A session that is to be replaced gets no more.
bool Connection::must_not_read() const noexcept {
  return is_in_events_ || has_events_left_ || next_session_ || (is_held() && !session_->is_closed()) ||
         (unread_ != nullptr && !session_->is_closed());
}

void Connection::read_some() {
  const std::shared_ptr<Connection> self = shared_from_this();
  read_in_rounds();
  if (std::exchange(is_input_seen_, false) && !is_finished_) handler_.on_input_taken(*this);
}

void Connection::read_in_rounds() {
  begin_turn();
  for (int round = 0; round < reads_per_turn && (round == 0 || work_ < turn_limit_); ++round) {
    if (is_finished_ || reading_ != Reading::idle) return;
    if (must_not_read()) {
      reading_ = Reading::paused;
      return;
    }
    if (!(session_->is_closed() ? discard_once() : read_once())) return;
  }
  if (!is_finished_ && reading_ == Reading::idle) loop().defer(more_reading_);
}

/// Reads once. Returns true if there may be more to read at once.
bool Connection::read_once() {
  std::array<MutableByteSpan, 2> room;
  const std::size_t count = session_->prepare_receive(room);
  std::size_t capacity = 0;
  for (std::size_t i = 0; i < count; ++i) capacity += room[i].size();
  if (capacity == 0) {
    // A server's session may wait until it has written something. A client may still have responses to take.
    if (options_.serves_half_closed && !write_error_.is_ok()) {
      end_reading(write_error_);
    } else {
      reading_ = Reading::paused;
    }
    return false;
  }
  const IoResult result = transport_->read({room.data(), count});
  looked_at_ = loop().now();
  switch (result.state) {
    case IoState::ok: {
      const bool is_full = result.bytes == capacity;
      // Waiting costs a system call, so the responses are written first.
      const WaitScope scope(*this, !is_full);
      has_received_ = true;
      session_->received(result.bytes, loop().now());
      pump();
      // The end of the stream may be right behind the bytes.
      return is_full || is_input_seen_;
    }
    case IoState::would_block:
      session_->received_nothing();
      wait_to_read();
      return false;
    case IoState::end_of_stream:
    case IoState::failed:
      end_reading(result.error);
      return false;
  }
  return false;
}

/// Discards what the peer sends after the session has closed. The connection only waits for the peer to close its side.
bool Connection::discard_once() {
  std::array<std::byte, 4096> bytes;
  const MutableByteSpan room(bytes);
  const IoResult result = transport_->read({&room, 1});
  if (result.state == IoState::ok) return true;
  if (result.state == IoState::would_block) {
    wait_to_read();
  } else {
    end_reading(result.error);
  }
  return false;
}

void Connection::wait_to_read() {
  if (is_finished_ || reading_ != Reading::idle) return;
  reading_ = Reading::waiting;
  transport_->wait_readable();
}

void Connection::end_reading(const Status& reason) {
  reading_ = Reading::ended;
  const bool may_serve = options_.serves_half_closed && reason.is_ok() && !is_half_closed_ && write_error_.is_ok() &&
                         !session_->is_closed();
  if (may_serve) {
    session_->input_ended();
    if ((session_->has_output() || session_->owes_response()) && !transport_->is_peer_gone()) {
      is_half_closed_ = true;
      return pump();
    }
  }
  is_half_closed_ = false;
  // A write error explains more than the end of the stream that comes with it.
  session_->transport_closed(write_error_.is_ok() ? reason : write_error_);
  pump();
}

void Connection::schedule_look() {
  const base::Duration pause = looks_ <= most_questions ? base::Duration(question_pause) : look_pause;
  loop().timers().schedule(linger_timer_, base::deadline_after(loop().now(), pause));
}

void Connection::run_turn() {
  // Inside on_events() the pump is about to do the same.
  if (is_finished_ || is_in_events_) return;
  const std::shared_ptr<Connection> self = shared_from_this();
  begin_turn();
  pump();
}

/// Settles a connection whose peer has closed its side. The peer may be gone altogether, which the next write would
/// tell. Until there is something to write, the transport is asked.
void Connection::settle_half_close() {
  if (!write_error_.is_ok()) return end_half_close(write_error_);
  const bool was_looking = std::exchange(is_looking_for_peer_, false);
  if (session_->has_output()) {
    if (was_looking) return restart_linger();
    return start_linger();
  }
  // Events that the handler has left, or that a hold keeps back, may be requests.
  const bool is_served = session_->owes_response() || has_events_left_ || is_held();
  if (session_->is_closed() || !is_served) return end_half_close({});
  is_looking_for_peer_ = true;
  if (was_looking) return;
  schedule_look();
}

/// Ends it, as all output is written, or can no longer be.
void Connection::end_half_close(const Status& reason) {
  is_half_closed_ = is_looking_for_peer_ = false;
  linger_timer_.cancel();
  session_->transport_closed(reason);
  take_events();
}

/// Looks for the outcome of the question before, and asks again.
void Connection::look_for_peer() {
  if (is_in_events_) return schedule_look();
  const std::shared_ptr<Connection> self = shared_from_this();
  if (transport_->is_peer_gone()) {
    end_half_close(Status(StatusCode::unavailable, "connection closed by the peer", StatusOrigin::transport));
  } else {
    ++looks_;
    schedule_look();
    if (looks_ <= most_questions) session_->ask_peer();
  }
  pump();
}

bool Connection::yields() noexcept {
  if (session_->is_closed()) return false;
  has_events_left_ = true;
  return true;
}

void Connection::hold_for(base::Duration time) {
  turn_limit_ = 0;
  loop().timers().schedule(hold_timer_, base::deadline_after(loop().now(), time));
}

void Connection::end_hold() {
  if (is_held()) return;
  turn_limit_ = options_.turn_bytes;
  if (!is_finished_) schedule_turn();
}

/// Has the events taken, writes the responses, and looks at the state. The caller holds a reference.
void Connection::pump() {
  if (is_finished_) return;
  turn_.cancel();
  flush_timer_.cancel();
  if (unread_ != nullptr && !next_session_ && !session_->is_closed()) receive_unread();
  if (takes_events()) take_events();
  write_out();
  if (is_held_for_output_ && !session_->has_output()) {
    is_held_for_output_ = false;
    end_hold();
  }
  if (is_half_closed_) settle_half_close();
  if (abort_reason_.has_value()) return end_abruptly();
  if (timeouts_.is_in_handshake() && session_->is_open()) timeouts_.end_handshake(loop().timers(), loop().now());
  handler_.on_written(*this);
  if (!write_error_.is_ok() && !session_->is_closed()) write_failed();
  if (next_session_) switch_session();
  settle();
  if (is_finished_) return;
  if (has_events_left_ && !is_held()) schedule_turn();
  if (!must_not_read()) resume_paused();
}

/// Has the handler take events. Its exceptions leave the loop; the events behind are processed in a later turn.
void Connection::take_events() {
  const base::FlagScope scope(is_in_events_);
  has_events_left_ = false;
  try {
    handler_.on_events(*this);
  } catch (...) {
    schedule_turn();
    if (!is_finished_) loop().defer(more_reading_);
    throw;
  }
}

void Connection::write_out() {
  unwritten_frames_ = 0;
  for (int round = 0; round < writes_per_turn; ++round) {
    if (is_write_waiting_ || is_finished_ || !write_error_.is_ok() || !session_->has_output()) return;
    std::array<ByteSpan, spans_per_write> spans;
    const std::size_t count = session_->gather(spans);
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i) size += spans[i].size();
    if (size == 0) return;
    IoResult result = transport_->write({spans.data(), count});
    if (result.state == IoState::ok) {
      session_->wrote(result.bytes);
      // A peer that reads slowly still gets its responses.
      if (session_->is_closed() || is_half_closed_) restart_linger();
    }
    if (result.state == IoState::failed || result.state == IoState::end_of_stream) {
      write_error_ = std::move(result.error);
    } else if (result.bytes < size) {
      is_write_waiting_ = true;
      transport_->wait_writable();
    }
  }
  schedule_turn();
}

/// Handles a failed write. The peer may have sent a reason before it closed the connection, so input is read first.
void Connection::write_failed() {
  if (reading_ != Reading::ended) start_linger();
}

/// Replaces the session once its output is written. If that becomes impossible the old session stays.
void Connection::switch_session() {
  if (is_finished_) return;
  if (session_->is_closed() || !write_error_.is_ok()) return drop_replacement();
  if (session_->has_output()) return;
  const SessionFactory factory = std::exchange(next_session_, nullptr);
  session_ = factory(*this);
  timeouts_.begin_handshake(loop().timers(), loop().now());
  schedule_turn();
}

/// Drops the replacement, for which the unread bytes are. The old session must not receive them.
void Connection::drop_replacement() noexcept {
  if (!next_session_) return;
  next_session_ = nullptr;
  unread_ = nullptr;
}

void Connection::timeout_fired() {
  const std::shared_ptr<Connection> self = shared_from_this();
  switch (timeouts_.check(loop().timers(), *session_, loop().now())) {
    case ConnectionTimeouts::Expired::nothing:
      return;
    case ConnectionTimeouts::Expired::handshake:
      return close(Status(StatusCode::unavailable,
                          "handshake: not completed by the peer within handshake_timeout " +
                              std::to_string(options_.handshake_timeout.count()) + " ms",
                          StatusOrigin::transport));
    case ConnectionTimeouts::Expired::idle:
      return handler_.on_idle(*this);
  }
}

void Connection::settle() {
  if (is_finished_ || !session_->is_closed()) return;
  if (session_->wants_reset()) return finish();
  const bool can_write = write_error_.is_ok() && session_->has_output();
  if (reading_ == Reading::ended && !can_write) return finish();
  if (can_write || is_send_shut_) return start_linger();
  is_send_shut_ = true;
  transport_->shutdown_send();
  restart_linger();
}

void Connection::resume_paused() {
  if (reading_ != Reading::paused) return;
  reading_ = Reading::idle;
  loop().defer(more_reading_);
}

void Connection::start_linger() {
  if (!linger_timer_.is_scheduled()) restart_linger();
}

void Connection::restart_linger() {
  linger_end_ = base::deadline_after(loop().now(), options_.linger_timeout);
  schedule_linger();
}

void Connection::schedule_linger() {
  const bool is_short = closes_when_delivered_ && is_send_shut_;
  const base::TimePoint look = base::deadline_after(loop().now(), time_to_close);
  loop().timers().schedule(linger_timer_, is_short ? std::min(look, linger_end_) : linger_end_);
}

void Connection::linger_expired() {
  if (is_looking_for_peer_) return look_for_peer();
  if (is_in_events_) return start_linger();
  if (loop().now() < linger_end_ && !transport_->is_delivered()) return schedule_linger();
  const std::shared_ptr<Connection> self = shared_from_this();
  if (!session_->is_closed()) end_reading(write_error_);
  finish();
}

void Connection::finish() {
  if (std::exchange(is_finished_, true)) return;
  const std::shared_ptr<Connection> self = shared_from_this();
  turn_.cancel();
  more_reading_.cancel();
  rearm_.cancel();
  flush_timer_.cancel();
  hold_timer_.cancel();
  linger_timer_.cancel();
  timeouts_.cancel();
  drop_replacement();
  if (session_->wants_reset()) transport_->reset();
  transport_->close();
  handler_.on_closed(*this);
}

void Connection::schedule_turn() {
  if (!is_finished_) loop().defer(turn_);
}

void Connection::flush_soon() {
  if (is_in_events_ || is_finished_ || turn_.is_scheduled() || flush_timer_.is_scheduled()) return;
  if (options_.flush_delay > std::chrono::microseconds::zero()) {
    loop().timers().schedule(flush_timer_, base::deadline_after(loop().now(), options_.flush_delay));
  } else {
    schedule_turn();
  }
}

void Connection::flush_if_large() {
  const bool is_awaited = ++unwritten_frames_ >= frames_per_piece && loop().was_idle();
  if (is_awaited || session_->unsent_bytes() >= std::max<std::size_t>(options_.write_buffer_bytes, 1)) write_out();
}

void Connection::close(const Status& reason) {
  if (is_finished_ || session_->is_closed()) return;
  session_->close(reason);
  schedule_turn();
}

void Connection::abort(const Status& reason) {
  if (is_finished_) return;
  abort_reason_ = reason;
  drop_replacement();
  run_turn();
}

void Connection::end_abruptly() {
  reading_ = Reading::ended;
  session_->transport_closed(*abort_reason_);
  take_events();
  finish();
}

}  // namespace trunkline::net
