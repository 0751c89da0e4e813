// SPDX-License-Identifier: MIT
// Connection: moves bytes between a transport and a session, and has a handler take the session's events.
#pragma once

#include "net/connection_timeouts.h"
#include "net/loop.h"
#include "net/transport.h"
#include "session/session.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace trunkline::net {

class Connection;

/// The layer above a connection: the dispatcher of a server or the client's side of a channel.
class ConnectionHandler {
 public:
  virtual ~ConnectionHandler() = default;
  /// Takes the session's events: calls session.next() until that or takes_events() returns false, or
  /// Connection::must_yield() returns true. Then it is called again. What it sends is written when this returns.
  virtual void on_events(Connection& connection) = 0;
  /// Called when the connection has written what the transport takes, after a batch of events or because there is room
  /// again. Some output may be left.
  virtual void on_written(Connection& /*connection*/) {}
  /// Called after Connection::has_unread() has returned true, once what had arrived then was read and its events were
  /// taken.
  virtual void on_input_taken(Connection& /*connection*/) {}
  /// Called when the connection has been without calls for ConnectionOptions::idle_timeout, and again after each
  /// further idle time.
  virtual void on_idle(Connection& /*connection*/) {}
  /// Called last: the session has given its `closed` event, and the transport is closed. The connection may be
  /// destroyed here.
  virtual void on_closed(Connection& connection) = 0;
  /// Answer the questions of a SessionOwner with the same functions.
  virtual std::size_t background_calls() const noexcept { return 0; }
  virtual Status on_call_begun(session::Event& /*event*/) { return {}; }
  virtual void on_call_dropped(session::CallId /*id*/) noexcept {}
  virtual std::uint64_t routes_version() const noexcept { return 0; }
  virtual session::RouteMatch find_route(std::string_view /*http_method*/, std::string_view /*path*/) { return {}; }
  virtual std::string_view http_methods_of(std::string_view /*method*/) { return {}; }
  virtual Status on_codec_exception(std::string_view doing, std::string_view text) {
    return session::SessionOwner::status_of_exception(doing, text);
  }
  virtual void on_metadata_dropped(const Status& /*why*/) noexcept {}
};

struct ConnectionOptions {
  /// The size of the output that is written before the batch of events is done, so that both sides work at the same
  /// time.
  std::size_t write_buffer_bytes = 256 * 1024;
  /// The work, as count_work() counts it, that is done before the other connections of the loop get their turn.
  std::size_t turn_bytes = 1024 * 1024;
  /// The time that output sent outside a batch of events waits for more; 0: until the end of the loop's turn.
  std::chrono::microseconds flush_delay{0};
  /// The time for which the peer may take none of the remaining output after the session has closed, and the time that
  /// it may take to close its side after all of it was written.
  std::chrono::milliseconds linger_timeout{1000};
  /// True for servers, whose clients may send all of their calls, close their side and then read. After the peer has
  /// closed its side, the session's output for it is still written, as long as the peer takes it, and so is what
  /// Session::owes_response() names, unless the transport finds that the peer is gone.
  bool serves_half_closed = false;
  /// The time from the start of a session until Session::is_open(); 0: no limit.
  std::chrono::milliseconds handshake_timeout{0};
  /// The time without calls after which ConnectionHandler::on_idle() is called; 0: no limit.
  std::chrono::milliseconds idle_timeout{0};
};

/// A connection that belongs to one loop for its whole life, whose thread makes all calls. The layer above keeps it
/// alive until on_closed().
class Connection final : public std::enable_shared_from_this<Connection>,
                         private TransportObserver,
                         private session::SessionOwner {
 public:
  /// Makes a session. The connection is its owner.
  using SessionFactory = std::function<std::unique_ptr<session::Session>(session::SessionOwner& owner)>;

  Connection(std::unique_ptr<Transport> transport, ConnectionHandler& handler, const ConnectionOptions& options);
  ~Connection() override;

  /// Makes the session, hands it `first_bytes`, which were read from the transport already, and begins to read and
  /// write. The handshake counts from `since`; nullopt: from now.
  void start(const SessionFactory& factory, ByteSpan first_bytes = {}, std::optional<base::TimePoint> since = {});
  /// Hands the connection over to the session that `factory` makes, for example after an upgrade of the protocol.
  /// `unread` are bytes that the old session has received but that belong to the new one; they are copied, and the new
  /// session receives them first. The old session is replaced once all of its output is written, and not before
  /// on_events() returns; until then nothing is read. It is destroyed without a `closed` event, so it must have no open
  /// calls, and no further events may be taken from it. No effect if the session is closed, or is closed before its
  /// output is written.
  void replace_session(SessionFactory factory, ByteSpan unread);

  /// Returns the present session. A replacement destroys it.
  session::Session& session() noexcept { return *session_; }
  /// Returns false while the session waits to be replaced: then no event may be taken from it.
  bool takes_events() const noexcept { return !next_session_ || session_->is_closed(); }
  Transport& transport() noexcept { return *transport_; }
  /// Returns true if the peer has sent something.
  bool has_received() const noexcept { return has_received_; }
  /// Returns true if something has arrived that has not been read yet: bytes, the end or an error. It will be read in a
  /// later turn, and ConnectionHandler::on_input_taken() called then. `now` is the time of the turn. What has arrived
  /// within longest_unseen after the last look or read may be overlooked.
  bool has_unread(base::TimePoint now) noexcept {
    return is_input_seen_ || (reading_ == Reading::waiting && now - looked_at_ >= longest_unseen && look(now));
  }
  Loop& loop() noexcept;

  /// Writes at the end of this turn, or after flush_delay. Call it after sending outside of on_events(). Several calls
  /// cause one write.
  void flush_soon();
  /// Writes if enough has gathered, so that both sides work at the same time. Call it after each frame that is sent
  /// inside on_events().
  void flush_if_large();
  /// Counts, inside on_events(), that an event has cost as much as handling `bytes` bytes.
  void count_work(std::size_t bytes) noexcept { work_ += bytes; }
  /// Ends the turn inside on_events(), however much work has been counted.
  void end_turn() noexcept { work_ = turn_limit_; }
  /// Returns true inside on_events() if the rest of the events has to wait. A closed session is never held up.
  bool must_yield() noexcept { return work_ >= turn_limit_ && yields(); }
  /// Writes what has gathered. Call it inside on_events().
  void flush_now() { write_out(); }
  /// Takes no further events and reads nothing until all output has been written. Call it inside on_events().
  void hold_until_written() noexcept {
    is_held_for_output_ = true;
    turn_limit_ = 0;
  }
  /// Takes no further events and reads nothing for `time`. Call it inside on_events().
  void hold_for(base::Duration time);
  /// Notes that a call has begun or ended: the idle time counts from now.
  void note_activity() noexcept {
    if (timeouts_.has_idle_limit()) timeouts_.note_activity(loop().now());
  }
  /// Sets how many of the open calls are the layer's own, and do not keep the connection from being idle.
  void set_background_calls(std::uint32_t count) noexcept { timeouts_.set_background_calls(count); }
  /// Closes the transport a moment after the session has closed and the peer's system has all output: the peer need not
  /// close its side as well. It is for clients that nobody runs at the time.
  void close_when_delivered() noexcept { closes_when_delivered_ = true; }
  /// Closes the session for `reason`, writes the remaining output, and closes the transport.
  void close(const Status& reason);
  /// Writes as much output as the transport takes, and ends as if the transport had failed for `reason`. Inside
  /// on_events() it does so after that returns.
  void abort(const Status& reason);

 private:
  /// A look costs a system call, which calls in quick succession share.
  static constexpr base::Duration longest_unseen = std::chrono::microseconds(200);
  enum class Reading : std::uint8_t { idle, waiting, paused, ended };
  class WaitScope;

  void on_readable() override;
  void on_writable() override;
  void on_session_wake() noexcept override;
  bool is_listening() const noexcept override { return !is_in_events_ && !is_held(); }
  std::size_t background_calls() const noexcept override { return handler_.background_calls(); }
  Status on_call_begun(session::Event& event) override { return handler_.on_call_begun(event); }
  void on_call_dropped(session::CallId id) noexcept override { handler_.on_call_dropped(id); }
  std::uint64_t routes_version() const noexcept override { return handler_.routes_version(); }
  session::RouteMatch find_route(std::string_view http_method, std::string_view path) override {
    return handler_.find_route(http_method, path);
  }
  std::string_view http_methods_of(std::string_view method) override { return handler_.http_methods_of(method); }
  Status on_codec_exception(std::string_view doing, std::string_view text) override {
    return handler_.on_codec_exception(doing, text);
  }
  void on_metadata_dropped(const Status& why) noexcept override { handler_.on_metadata_dropped(why); }

  bool yields() noexcept;
  bool is_held() const noexcept { return is_held_for_output_ || hold_timer_.is_scheduled(); }
  void end_hold();
  void begin_turn() noexcept { work_ = 0; }
  bool must_not_read() const noexcept;
  bool look(base::TimePoint now) noexcept;
  void read_some();
  void read_in_rounds();
  bool read_once();
  bool discard_once();
  void wait_to_read();
  void receive_unread();
  ByteSpan receive(ByteSpan bytes);
  void end_reading(const Status& reason);
  void settle_half_close();
  void end_half_close(const Status& reason);
  void look_for_peer();
  void schedule_look();
  void run_turn();
  void pump();
  void take_events();
  void write_out();
  void write_failed();
  void schedule_turn();
  void settle();
  void resume_paused();
  void start_linger();
  void restart_linger();
  void schedule_linger();
  void linger_expired();
  void switch_session();
  void drop_replacement() noexcept;
  void timeout_fired();
  void finish();
  void end_abruptly();

  std::unique_ptr<Transport> transport_;
  ConnectionHandler& handler_;
  const ConnectionOptions options_;
  std::unique_ptr<session::Session> session_;
  Status write_error_;
  std::optional<Status> abort_reason_;
  /// Makes the session that is to take over once the output is written; null: there is none.
  SessionFactory next_session_;
  /// Bytes that were read already, and that the session, or the next one if there is one, has yet to receive; null:
  /// there are none.
  std::unique_ptr<std::vector<std::byte>> unread_;
  Reading reading_ = Reading::idle;
  bool is_in_events_ = false;
  bool is_write_waiting_ = false;
  bool is_send_shut_ = false;
  bool is_finished_ = false;
  /// True if the handler has left events to a later turn.
  bool has_events_left_ = false;
  bool is_held_for_output_ = false;
  /// True if the peer has closed its side, and output is left, or a response is owed.
  bool is_half_closed_ = false;
  /// True if linger_timer_ looks whether the peer is gone, while half-closed and without output.
  bool is_looking_for_peer_ = false;
  int looks_ = 0;
  bool closes_when_delivered_ = false;
  /// The time when lingering ends. It has a meaning only while lingering lasts.
  base::TimePoint linger_end_{};
  int unwritten_frames_ = 0;
  bool has_received_ = false;
  /// The time of the last read, or of the last look whether something has arrived.
  base::TimePoint looked_at_{};
  /// True from the moment when has_unread() has found something until that is read.
  bool is_input_seen_ = false;
  /// The work since the turn began.
  std::size_t work_ = 0;
  /// The limit of the work; 0 while the connection is held.
  std::size_t turn_limit_;
  DeferredTask turn_;
  DeferredTask more_reading_;
  DeferredTask rearm_;
  base::Timer flush_timer_;
  base::Timer hold_timer_;
  base::Timer linger_timer_;
  ConnectionTimeouts timeouts_;
};

}  // namespace trunkline::net
