// SPDX-License-Identifier: MIT
// Connection: the only pump between a transport and a session.
#pragma once

#include "net/loop.h"
#include "net/transport.h"
#include "session/session.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace trunkline::net {

class Connection;

/// What stands above a connection: the server's dispatcher or the client's side of a channel.
class ConnectionHandler {
 public:
  virtual ~ConnectionHandler() = default;
  /// Pull session.next() until it returns false. What is sent meanwhile is written when this returns.
  virtual void on_events(Connection& connection) = 0;
  /// The output was looked at after a batch of events or because there is room again; some of it may be left.
  virtual void on_written(Connection& /*connection*/) {}
  /// The last call: the session has given its `closed` event, the transport is shut. The connection may be destroyed
  /// here.
  virtual void on_closed(Connection& connection) = 0;
  /// As SessionOwner's.
  virtual Status on_codec_exception(std::string_view doing, std::string_view text) {
    return session::SessionOwner::status_of_exception(doing, text);
  }
};

struct ConnectionOptions {
  /// Output is also written before the batch is done once this much has gathered, so that both sides work at once.
  std::size_t write_buffer_bytes = 256 * 1024;
  /// How long output that does not come from a batch waits for more of its kind; 0: until the end of the loop's turn.
  std::chrono::microseconds flush_delay{0};
  /// After the session has closed: how long output may be stuck, and then, from the last of it, how long the peer may
  /// take to close its side.
  std::chrono::milliseconds linger_timeout{1000};
};

/// Lives on one loop for life. Kept alive by whoever holds the shared pointer, at the latest until on_closed().
class Connection final : public std::enable_shared_from_this<Connection>,
                         private TransportObserver,
                         private session::SessionOwner {
 public:
  /// The factory gets the connection as the session's owner.
  using SessionFactory = std::function<std::unique_ptr<session::Session>(session::SessionOwner& owner)>;

  Connection(std::unique_ptr<Transport> transport, ConnectionHandler& handler, const ConnectionOptions& options);
  ~Connection() override;

  /// Makes the session, hands it `first_bytes` (already read from the transport), and starts to pump.
  void start(const SessionFactory& factory, ByteSpan first_bytes = {});

  session::Session& session() noexcept { return *session_; }
  Transport& transport() noexcept { return *transport_; }
  Loop& loop() noexcept;

  /// Call after sending outside on_events(): writes at the end of this turn (or after flush_delay), once for many
  /// calls.
  void flush_soon();
  /// Call after each frame sent inside on_events(): writes if enough has gathered, so that both sides work at once.
  void flush_if_large();
  /// session().close(reason), write what is left, close.
  void close(const Status& reason);
  /// Writes what there is room for, and ends without a goodbye, as if the transport had failed for `reason`. Amid
  /// events: after them.
  void abort(const Status& reason);

 private:
  enum class Reading : std::uint8_t { idle, waiting, paused, ended };
  class WaitScope;

  void on_readable() override;
  void on_writable() override;
  void on_session_wake() noexcept override;
  bool is_listening() const noexcept override { return !is_in_events_; }
  Status on_codec_exception(std::string_view doing, std::string_view text) override {
    return handler_.on_codec_exception(doing, text);
  }

  void read_some();
  bool read_once();
  bool discard_once();
  void wait_to_read();
  void end_reading(const Status& reason);
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
  void linger_expired();
  void finish();
  void end_abruptly();

  std::unique_ptr<Transport> transport_;
  ConnectionHandler& handler_;
  const ConnectionOptions options_;
  std::unique_ptr<session::Session> session_;
  Status write_error_;
  std::optional<Status> abort_reason_;
  Reading reading_ = Reading::idle;
  bool is_in_events_ = false;
  bool is_write_waiting_ = false;
  bool is_send_shut_ = false;
  bool is_finished_ = false;
  int unwritten_frames_ = 0;
  Deferred turn_;
  Deferred more_reading_;
  Deferred rearm_;
  base::Timer flush_timer_;
  base::Timer linger_timer_;
};

}  // namespace trunkline::net
