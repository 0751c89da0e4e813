// SPDX-License-Identifier: MIT
// LastingCalls: serves the calls of one connection that outlive their event, by the table of call_lifecycle.h.
#pragma once

#include "server/call_exchange.h"
#include "server/server_call.h"
#include "session/event.h"

#include <chrono>
#include <deque>
#include <memory>
#include <string>

namespace trunkline::server {

/// Serves streams, coroutines, blocking handlers, and calls that wait for their request or for their turn. On an
/// ordered connection one call runs at a time, in the order of arrival, refusals included. On others a call waits for
/// its turn only while the connection is full (Admission::is_full()). Only the loop's thread uses it, except for
/// on_codec_exception().
class LastingCalls final : public CallOwner {
 public:
  /// Both arguments must outlive this object. The link of `exchange` must be owned by a shared pointer, which each call
  /// holds. `running` counts the calls of the connection.
  LastingCalls(CallExchange& exchange, ConnectionCalls& running) noexcept : exchange_(exchange), running_(running) {}
  LastingCalls(const LastingCalls&) = delete;
  LastingCalls& operator=(const LastingCalls&) = delete;

  /// Notes that the client has asked for ordered calls. Must be called before the first call.
  void set_ordered() { call_order_ = std::make_unique<std::deque<ServerCall*>>(); }
  /// Returns true if a call that arrives now has to wait for others.
  bool must_keep_order() const noexcept { return call_order_ != nullptr && !call_order_->empty(); }

  /// Returns true if the call of the event has everything that its handler needs to begin, so that it has to be
  /// admitted before open().
  static bool is_ready(const session::Event& event, const LoopMethod& method) noexcept {
    return event.end || method.shape().kind != MethodKind::unary;
  }
  /// Returns the properties of a call on which its admission depends.
  CallTraits traits_of(const Metadata& metadata, const LoopMethod& method) const noexcept {
    const bool is_adaptive = method.shape().kind == MethodKind::unary && !method.runs_plain();
    return {.level = exchange_.server_state().admission.priorities().level_of(metadata),
            .is_adaptive = is_adaptive,
            .now = exchange_.context().loop().now()};
  }
  /// Returns the number of background calls, for session::SessionOwner::background_calls().
  std::size_t background_calls() const noexcept { return background_calls_; }
  /// Takes over the call of a call event. The permit is empty if the call is not ready or the connection is full: the
  /// call is admitted when it starts.
  void open(session::Event& event, LoopMethod& method, CallPermit permit);
  /// Refuses the call of a call event with `status`, after the responses that come first. `is_counted` says that the
  /// refusal has been counted.
  void refuse_in_order(const session::Event& event, const Status& status, bool is_counted);

  /// Handle a message, writable or cancelled event of a call, whose event.context is the ServerCall.
  void on_message(session::Event& event);
  void on_writable(const session::Event& event);
  void on_cancelled(const session::Event& event);

  void on_completed(ServerCall& call) override;
  void on_request_timeout(ServerCall& call) override;
  void on_dropped(ServerCall& call) override;
  void on_draining(ServerCall& call) override;
  void on_drain_ended(ServerCall& call) override;
  void on_detached(ServerCall& call) override;
  void on_stopped(ServerCall& call) override;
  Status on_codec_exception(const ServerCall& call, const Status& without_text, const std::string& text) override;

 private:
  /// Applies the table: sets the next stage and carries out the action. `status` is the reason for the end of the call,
  /// if something other than its handler ends it.
  void handle(ServerCall& call, CallEvent event, const Status& status = {});
  std::shared_ptr<CallOwner> shared();
  template <class Begin>
  ServerCall& add_call(session::CallId id, Begin begin);
  void make_stream(ServerCall& call);
  void receive(ServerCall& call, session::Event& event);
  void take_request(ServerCall& call, session::Event& event);
  void end_request(ServerCall& call);
  void await_request(ServerCall& call);
  std::chrono::milliseconds request_time() const noexcept;
  static void set_refused(ServerCall& call, const Status& status);
  static void take_stream_message(ServerCall& call, session::Event& event);

  void advance_order(ServerCall& call);
  bool lacks_place(const ServerCall& call) const noexcept;
  void run_next_calls();
  ServerCall* next_call();
  bool admit(ServerCall& call);
  void start(ServerCall& call);
  void start_coroutine(ServerCall& call);
  void start_blocking(ServerCall& call);

  void send_refusal(ServerCall& call);
  void send_response(ServerCall& call);
  void send_outcome(ServerCall& call);
  void send_status(const ServerCall& call, const Status& status);
  void count_cancelled(ServerCall& call, const Status& status);
  void deliver_cancellation(ServerCall& call);
  /// Does what follows the end of a handler, whether or not somebody waits for the response.
  void conclude(ServerCall& call);
  void release_credit(ServerCall& call);
  void retire(ServerCall& call);
  void log_error(const ServerCall& call, CallEvent event) const;

  CallExchange& exchange_;
  ConnectionCalls& running_;
  /// The calls of an ordered connection, in their order; the first one is served. Null: the connection is not ordered.
  std::unique_ptr<std::deque<ServerCall*>> call_order_;
  /// The calls of a connection without an order that wait until it is no longer full. Null: there are none.
  std::unique_ptr<std::deque<ServerCall*>> waiting_;
  bool is_running_next_ = false;
  std::size_t background_calls_ = 0;
};

}  // namespace trunkline::server
