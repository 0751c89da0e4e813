// SPDX-License-Identifier: MIT
// LoopContext: the objects that the connections, calls and streams of one loop share.
#pragma once

#include "call/completion_queue.h"
#include "call/stream_host.h"
#include "net/loop.h"
#include "server/call_pool.h"
#include "server/handler_watch.h"
#include "server/loop_metrics.h"
#include "server/loop_totals.h"
#include "server/method_cache.h"
#include "server/protocol_counts.h"
#include "server/quiet_timer.h"
#include "server/server_state.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace trunkline::server {

/// Only the loop's thread uses it, except where noted. The server and each connection keep it alive, and thereby each
/// call does, so it may outlive the server.
class LoopContext final : public call::StreamHost, public std::enable_shared_from_this<LoopContext> {
 public:
  LoopContext(std::shared_ptr<ServerState> server_state, net::Loop& loop);

  net::Loop& loop() const noexcept { return loop_; }
  /// Returns the state of the server. Any thread may call it.
  ServerState& server_state() const noexcept { return *server_state_; }
  /// Returns the totals of the loop, which any thread may read.
  LoopTotals& totals() noexcept { return totals_; }
  /// Returns the connections by protocol, which any thread may read.
  ProtocolCounts& protocols() noexcept { return protocols_; }
  LoopMetrics& metrics() noexcept { return metrics_; }
  MethodCache& methods() noexcept { return methods_; }
  CallPool& calls() noexcept { return calls_; }
  HandlerWatch& watch() noexcept { return watch_; }
  QuietTimer& quiet_timer() noexcept { return quiet_timer_; }
  /// Counts an exception of a handler, codec or compressor. Any thread may call it.
  void count_exception();

  bool is_on_loop() const noexcept override { return !has_no_loop() && loop_.is_current(); }
  bool has_no_loop() const noexcept override { return is_loop_gone_.load(std::memory_order_acquire); }
  void post(std::function<void()> task) override;
  /// Says that the loop is about to be destroyed. Handlers of the application that other executors still hold use this
  /// object afterwards.
  void lose_loop() noexcept;
  call::CompletionQueue& completions() noexcept override { return completions_; }
  /// Leaves the handlers of ended operations to Asio at the end of the server. Asio destroys them with the loop if
  /// nothing runs it again. Suspended coroutines would otherwise keep this object, and this object them.
  void hand_over_completions();

 private:
  static void run_completions(void* self);
  static void defer_completions(void* self);

  const std::shared_ptr<ServerState> server_state_;
  net::Loop& loop_;
  LoopTotals totals_;
  ProtocolCounts protocols_;
  LoopMetrics metrics_{loop_};
  MethodCache methods_{server_state_->methods, server_state_->options.codecs, metrics_};
  CallPool calls_;
  HandlerWatch watch_{loop_, *server_state_, metrics_};
  QuietTimer quiet_timer_{loop_};
  /// Keeps the loop while a thread posts to it.
  std::mutex loop_mutex_;
  std::atomic<bool> is_loop_gone_{false};
  net::DeferredTask run_completions_{run_completions, this};
  call::CompletionQueue completions_{defer_completions, this};
};

}  // namespace trunkline::server
