// SPDX-License-Identifier: MIT
// ServerCall: a call that lives longer than the event that brought it; pooled by its loop.
#pragma once

#include "call/server_stream_core.h"
#include "net/task_queue.h"
#include "server/call_context.h"
#include "server/call_meter.h"
#include "server/handler_run.h"
#include "server/interception.h"
#include "server/loop_method.h"
#include "server/worker_pool.h"
#include "session/event.h"

#include <asio/cancellation_signal.hpp>

#include <memory>
#include <optional>

namespace trunkline::server {

class ServerConnection;
class ServerLoop;

enum class CallStage : std::uint8_t {
  awaiting_message,  ///< unary: the request has not come
  ready,             ///< waits for its turn on an ordered connection
  running,           ///< the handler has been started, or waits for a worker
};

/// Belongs to its loop's thread; the worker that runs its handler uses `messages`, `context` and `outcome` meanwhile.
class ServerCall final : public Job, public call::AnswerFacts {
 public:
  ServerCall() noexcept { completed_.call = this; }

  /// Takes what the call needs from its event.
  void begin(std::shared_ptr<ServerConnection> owner, const ConnectionFacts& facts, LoopMethod& served,
             session::Event& event);
  void make_stream();
  /// Tells the handler that runs that nobody waits for its answer. It may end within.
  void cancel();
  /// Back to how it was made.
  void reset();
  /// Runs the handler on this thread to its end. Not for coroutines.
  HandlerOutcome run_here();
  /// On a worker: runs the handler, then posts the completion to the loop.
  void run_job(bool stopping) override;

  std::shared_ptr<ServerConnection> connection;
  std::shared_ptr<LoopMethod> method;              ///< null: refused before it was admitted
  std::unique_ptr<CallMessages> messages;          ///< unary
  std::shared_ptr<call::ServerStreamCore> stream;  ///< the others
  CallContext context;
  Metadata metadata;
  session::CallId id = 0;
  CallStage stage = CallStage::awaiting_message;
  bool is_open = false;  ///< the session waits for its finish
  bool holds_credit = false;
  session::HeldCredit credit;
  const Codec* codec = nullptr;  ///< of the request
  std::size_t payload_bytes = 0;
  HandlerOutcome outcome;
  bool was_run = false;     ///< the handler has been begun
  bool is_refused = false;  ///< `outcome` is to be said when the call's turn comes; the handler does not run
  int cancelling = 0;       ///< cancel() is on the stack: the object must stay
  Interception interception;
  CallMeter meter;
  std::optional<asio::cancellation_signal> cancellation;

  ServerCall* previous = nullptr;  ///< among the loop's calls
  ServerCall* next = nullptr;

 private:
  struct CompletionTask : net::Task {
    ServerCall* call = nullptr;
  };
  HandlerOutcome run_handler();
  const Compressor* answer_compressor() override { return context.compressor(); }
  Metadata take_leading_metadata() override { return context.take_leading(); }
  Status on_codec_exception(const Status& without_text, const std::string& text) override;

  CompletionTask completed_;
  std::uint64_t uses_ = 0;  // tells calls apart that have had this object
};

}  // namespace trunkline::server
