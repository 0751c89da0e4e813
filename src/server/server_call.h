// SPDX-License-Identifier: MIT
// ServerCall: a call that outlives the event that brought it; its loop reuses the object.
#pragma once

#include "base/timer_wheel.h"
#include "call/server_stream_core.h"
#include "net/posted_task.h"
#include "server/admission.h"
#include "server/call_context.h"
#include "server/call_lifecycle.h"
#include "server/call_metrics.h"
#include "server/handler_outcome.h"
#include "server/loop_method.h"
#include "server/server_interception.h"
#include "server/worker_pool.h"
#include "session/event.h"
#include "session/held_memory.h"

#include <asio/cancellation_signal.hpp>

#include <memory>
#include <optional>
#include <string>

namespace trunkline::server {

class ServerCall;

/// Serves a call, and learns how its handler has ended. Called on the loop's thread, except where noted.
class CallOwner {
 public:
  /// Called when the handler has ended; call.outcome says how.
  virtual void on_completed(ServerCall& call) = 0;
  /// Called when the request has not become complete in time.
  virtual void on_request_timeout(ServerCall& call) = 0;
  /// Called when the handler was destroyed before it ended.
  virtual void on_dropped(ServerCall& call) = 0;
  /// Called when the connection takes no further calls, to tell the handler.
  virtual void on_draining(ServerCall& call) = 0;
  /// Called when the time for the drain is over: a stream ends, and its client learns why.
  virtual void on_drain_ended(ServerCall& call) = 0;
  /// Called when the server has stopped and released the connection; nobody waits for a response. on_stopped() follows.
  virtual void on_detached(ServerCall& call) = 0;
  /// Called after on_detached() of all calls of the loop, to cancel the handler.
  virtual void on_stopped(ServerCall& call) = 0;
  /// Called when a codec or compressor threw `text`, on any thread; `without_text` says what it was doing. Returns the
  /// status for the handler's operation.
  virtual Status on_codec_exception(const ServerCall& call, const Status& without_text, const std::string& text) = 0;

 protected:
  ~CallOwner() = default;
};

/// A call that belongs to its loop's thread. While its handler runs on a worker, that thread uses `messages`, `context`
/// and `outcome` instead.
class ServerCall final : public WorkerJob, public call::ResponseSettings {
 public:
  /// hold() does not count messages shorter than this, since the state of each call is longer.
  static constexpr std::size_t least_held_bytes = 1 << 10;

  ServerCall() noexcept { completion_.call = this; }

  /// Takes from its event what the call needs. `connection_context` must live as long as `served_by`.
  void begin(std::shared_ptr<CallOwner> served_by, const ConnectionContext& connection_context, LoopMethod& served,
             session::Event& event);
  /// Begins a call that is to be refused and whose method may not exist.
  void begin_without_method(std::shared_ptr<CallOwner> served_by, session::CallId call_id);
  bool is_of(const ConnectionContext& connection_context) const noexcept {
    return connection_context_ == &connection_context;
  }
  /// Moves to the next stage of the call's life. Returns what the owner has to do.
  LifecycleAction advance(CallEvent event) noexcept;
  /// Runs the handler to its end on this thread. Must not be called for coroutines.
  HandlerOutcome run_handler();
  /// Runs the handler on a worker, then posts the completion to the loop.
  void run_job(JobFate fate) override;
  /// Counts a message of the call that no session holds, in the budget of the server and for the peer's address.
  session::HeldMemory hold(std::size_t bytes) const;
  /// Counts the request, which belongs to its handler from now on.
  void hold_request() {
    if (payload_bytes >= least_held_bytes) held_request = hold(payload_bytes);
  }
  /// Counts what the handler keeps of the call, beside the request, from when the session has forgotten it.
  void hold_rest();
  /// Returns the object to the state in which it was made.
  void reset();

  /// The owner, which keeps the connection and its loop's context alive.
  std::shared_ptr<CallOwner> owner;
  /// The method; null if the call is refused and has no method.
  std::shared_ptr<LoopMethod> method;
  /// The permit to run, empty until the request of a unary call is complete: until then nothing runs.
  CallPermit permit;
  /// The request and the response; null for streams.
  std::unique_ptr<CallMessages> messages;
  /// The stream; null for unary calls.
  std::shared_ptr<call::ServerStreamCore> stream;
  CallContext context;
  Metadata metadata;
  session::CallId id = 0;
  CallStage stage = CallStage::over;
  /// The credit of the request, while it is withheld from the client, and whether that of the connection is too.
  std::optional<session::MessageCredit> held_credit;
  bool holds_connection_credit = false;
  /// The codec of the response: the client's choice, or else that of the request; null: neither is known.
  const Codec* codec = nullptr;
  /// The size of the decompressed request. For streams it is the one request of a server_stream, or nothing.
  std::size_t payload_bytes = 0;
  /// True if a message of a stream has come.
  bool has_request = false;
  /// True if the call was refused, and counted as such, before it came as an event.
  bool is_refusal_counted = false;
  /// The deadline on the machine's clock, which workers read; only the loop may read the loop's clock.
  base::TimePoint run_before = base::never;
  /// True if a worker has not run the handler, for the reason in `outcome`.
  bool is_refused_by_worker = false;
  /// The memory of the request, from when its handler is started.
  session::HeldMemory held_request;
  /// The memory that hold_rest() counts.
  session::HeldMemory held_rest;
  /// Ends the wait for the rest of a request.
  base::Timer request_timer{on_request_timeout, this};
  /// The part of the request that had come when the timer was set (Session::received_of_message()).
  std::uint64_t request_mark = 0;
  /// The end of the handler; before that, the status with which an interceptor or the server refuses the call.
  HandlerOutcome outcome;
  ServerInterception interception;
  CallMetrics metrics;
  /// Cancels the coroutine that runs the handler.
  std::optional<asio::cancellation_signal> cancellation;

  /// The neighbours among the calls in use; CallPool sets them.
  ServerCall* previous = nullptr;
  ServerCall* next = nullptr;

 private:
  struct CompletionTask : net::PostedTask {
    ServerCall* call = nullptr;
  };
  void refuse_from_worker(Status status);
  static void on_request_timeout(base::Timer& timer, void* self, base::TimePoint now);
  static void run_completion(net::PostedTask* task);
  static void drop_completion(net::PostedTask* task);
  const Compressor* response_compressor() override { return context.compressor(); }
  Metadata take_leading_metadata() override { return context.take_leading(); }
  Status on_codec_exception(const Status& without_text, const std::string& text) override {
    return owner->on_codec_exception(*this, without_text, text);
  }
  void on_metadata_dropped(const Status& why) noexcept override {
    connection_context_->server_state->log(LogLevel::warning, why.message(), context.method(),
                                           connection_context_->peer);
  }
  /// Counts the request of a server_stream, which stays with its handler.
  void on_size_known(std::size_t bytes) override {
    if (method->shape().kind != MethodKind::server_stream) return;
    payload_bytes = bytes;
    if (stage == CallStage::running) hold_request();
  }
  session::HeldMemory count_waiting(std::size_t bytes) override {
    return bytes >= least_held_bytes ? hold(bytes) : session::HeldMemory();
  }

  const ConnectionContext* connection_context_ = nullptr;
  CompletionTask completion_;
};

}  // namespace trunkline::server
