// SPDX-License-Identifier: MIT
// ClientConnection: one connection of a channel - calls to the session, its events back to the calls.
#pragma once

#include "call/stream_host.h"
#include "client/attempt.h"
#include "net/connection.h"

#include <trunkline/call_operation.h>

#include <memory>

namespace trunkline::client {

class ChannelCore;
class ClientStreamCore;

/// Loop's thread only. Kept alive by the pool until closed, and by streams.
class ClientConnection final : public net::ConnectionHandler,
                               public call::StreamLink,
                               public std::enable_shared_from_this<ClientConnection> {
 public:
  ClientConnection(ChannelCore& core, std::unique_ptr<net::Transport> transport);
  ~ClientConnection() override;
  void start();

  bool can_start() const noexcept { return session_->can_start(); }
  bool is_opened() const noexcept { return opened_; }
  bool is_leaving() const noexcept { return leaving_; }
  std::size_t open_calls() const noexcept { return session_->open_calls(); }
  const std::string& peer() const noexcept { return peer_; }
  bool has_work_left() const noexcept {
    return connection_ != nullptr && (session_->open_calls() > unary_calls_ || session_->has_output());
  }

  /// Needs can_start(). Events of the call reach the operation or stream until it has ended.
  Status start(CallOperation& operation, const session::Outgoing& message, const Metadata* metadata);
  Status start(ClientStreamCore& stream, const session::Outgoing& message, const Metadata* metadata, bool end);
  void cancel(CallOperation& operation, StatusCode reason);
  void cancel(session::CallId id, StatusCode reason);

  /// Takes no further calls, and closes after the last one.
  void drain();
  void close(const Status& reason);
  /// After close(): ends its calls at once.
  void end_calls();
  /// The core is going away: the transport is dropped, nothing is reported any more.
  void detach();

  session::Session* session() noexcept override { return connection_ != nullptr ? session_ : nullptr; }
  void flush() override;

  void on_events(net::Connection& connection) override;
  void on_written(net::Connection& connection) override;
  void on_closed(net::Connection& connection) override;

 private:
  void handle_event();
  void on_finished(CallOperation& operation);
  void on_message(CallOperation& operation);
  void on_stream_event(ClientStreamCore& stream);
  Status decode_response(MutableMessageView response);
  session::CallStart start_of(const MethodEntry& method, base::TimePoint deadline, const Metadata* metadata) const;
  void close_if_drained();
  static void on_idle(base::Timer& timer, void* owner, base::TimePoint now);

  ChannelCore* core_;
  std::shared_ptr<net::Connection> connection_;
  session::Session* session_ = nullptr;
  session::Event event_;
  std::string peer_;
  Status close_reason_;
  bool in_events_ = false;
  bool opened_ = false;
  bool leaving_ = false;
  bool closing_ = false;
  bool used_ = false;
  std::size_t unary_calls_ = 0;  // of the open ones
  // The last kind of response that was parsed directly, so that a name is not compared for each.
  const Codec* direct_codec_ = nullptr;
  const MessageType* direct_type_ = nullptr;
  base::Timer idle_timer_{on_idle, this};
};

}  // namespace trunkline::client
