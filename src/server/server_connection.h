// SPDX-License-Identifier: MIT
// ServerConnection: the dispatcher of one connection - from a session's events to handlers, and back.
#pragma once

#include "call/stream_host.h"
#include "net/connection.h"
#include "server/call_context.h"
#include "server/loop_method.h"
#include "server/server_call.h"

#include <deque>
#include <exception>
#include <memory>
#include <vector>

namespace trunkline::server {

class ServerLoop;

/// Knows no protocol: whatever session it is given. Loop's thread only. Kept alive by its loop until closed, and by its
/// calls.
class ServerConnection final : public net::ConnectionHandler,
                               public call::StreamLink,
                               public std::enable_shared_from_this<ServerConnection> {
 public:
  explicit ServerConnection(std::shared_ptr<ServerLoop> loop);
  ~ServerConnection() override;

  /// `factory` makes the session of whatever protocol the client speaks.
  void start(std::unique_ptr<net::Transport> transport, const net::Connection::SessionFactory& factory,
             ByteSpan first_bytes);
  ServerLoop& loop() const noexcept { return *loop_; }
  const ConnectionFacts& facts() const noexcept { return facts_; }
  std::size_t open_calls() const noexcept;
  /// Open calls; 1 if there are none, but output that the client has yet to take.
  std::size_t unfinished() const noexcept;

  /// Takes no further calls; closes after the last one.
  void drain();
  void close(const Status& reason);
  /// The same without a goodbye.
  void drop();
  /// Lets go of the transport and the session; calls that still run are answered to nobody.
  void detach();

  void on_events(net::Connection& connection) override;
  void on_closed(net::Connection& connection) override;
  Status on_codec_exception(std::string_view doing, std::string_view text) override;

  session::Session* session() noexcept override { return connection_ != nullptr ? &connection_->session() : nullptr; }
  void flush() override;

  /// The handler has ended, call.outcome says how: answers, and lets go of the call.
  void complete(ServerCall& call);
  /// The handler was destroyed without ending: with its loop, or by what it waited for.
  void abandon(ServerCall& call);

 private:
  class BatchScope;

  void handle_event(session::Event& event);
  /// Handles all events there are. An exception closes the connection.
  void handle_events(session::Session& session);
  void on_opened();
  LoopMethod* find_method(const session::Event& event);

  void on_call(session::Event& event);
  void refuse(const session::Event& event, const Status& status);
  void refuse(const session::Event& event, LoopMethod& method, const Status& status);
  /// Ordered: the refusal is said after the answers that come first.
  void refuse_in_turn(const session::Event& event, const Status& status);
  /// Takes messages and decodes the request into them; internal if the user's code throws.
  Status read_request(const session::Event& event, LoopMethod& served, std::unique_ptr<CallMessages>& messages);
  HandlerOutcome run_plain(const session::Event& event, const Method& method, CallMessages& messages);
  HandlerOutcome run_intercepted(session::Event& event, const Method& method, CallMessages& messages, bool& ran);
  void serve_plain(session::Event& event, LoopMethod& served);
  void open_call(session::Event& event, LoopMethod& method);
  void on_message(session::Event& event);
  static void take_stream_message(ServerCall& call, session::Event& event);
  void on_writable(ServerCall& call);
  void take_request(ServerCall& call, session::Event& event);
  void refuse_open(ServerCall& call, Status status);
  void run_or_wait(ServerCall& call);
  void run(ServerCall& call);
  void run_coroutine(ServerCall& call);
  void run_blocking(ServerCall& call);
  void advance_turns();
  void answer(ServerCall& call);
  void finish_stream(ServerCall& call, const Status& status);
  void on_cancelled(session::Event& event);
  void release_credit(ServerCall& call);
  void retire(ServerCall& call);

  HandlerOutcome failed(const Method& method) const;
  /// Metadata that `context` has, then the status with what goes with it. Counts the call and ends its meter.
  void finish(session::CallId id, const Status& status, session::Outgoing&& response, CallContext& context,
              CallMeter& meter, bool unprocessed);
  /// The same for the session alone. Leading metadata that is too large becomes the status. Returns what was sent.
  Status finish_with_leading(session::CallId id, const Status& status, const session::Outgoing& response,
                             const CallContext& context, bool unprocessed);
  bool can_run() const noexcept { return connection_ != nullptr && !connection_->session().is_closed(); }
  bool must_wait_turn() const noexcept { return turns_ != nullptr && !turns_->empty(); }
  void close_if_drained();
  static void on_written(void* owner);
  void touch_idle_timer();
  static void on_idle(base::Timer& timer, void* owner, base::TimePoint now);

  const std::shared_ptr<ServerLoop> loop_;
  std::shared_ptr<net::Connection> connection_;
  ConnectionFacts facts_;
  CallContext plain_context_;
  std::vector<LoopMethod*> methods_;  // by the peer's number; of methods_version_
  std::uint64_t methods_version_ = 0;
  /// Of an ordered connection: calls that are attached, the first one's turn it is. Null: not ordered.
  std::unique_ptr<std::deque<ServerCall*>> turns_;
  base::TimePoint last_active_{};
  base::Timer idle_timer_{on_idle, this};
  net::Deferred drain_check_{on_written, this};
  bool in_batch_ = false;
  bool had_calls_ = false;
  bool advancing_ = false;
  bool closing_ = false;
};

}  // namespace trunkline::server
