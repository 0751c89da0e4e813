// SPDX-License-Identifier: MIT
// ChannelCore: puts a channel together - interceptors, repetition, pending queue, pool, connections - and is what its
// calls go through.
#pragma once

#include "call/interceptor_chain.h"
#include "call/stream_host.h"
#include "client/call_details.h"
#include "client/connection_pool.h"
#include "client/loop_driver.h"
#include "client/pending_queue.h"
#include "client/retry_budget.h"
#include "session/session_options.h"

#include <trunkline/call_window.h>
#include <trunkline/channel_options.h>
#include <trunkline/channel_state.h>

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace trunkline::client {

/// A call's way out:  begin() -> intercept() -> invoke() -> PendingQueue -> ConnectionPool -> ClientConnection
/// and back:          ClientConnection -> call_finished() -> repeat? -> interceptors -> complete.
/// With nothing to intercept, remember or wait for, begin() goes straight to the connection, and call_finished() to
/// complete.
///
/// Owned by a shared pointer: the channel's, its streams', its thread's. Loop's thread only, except where noted.
class ChannelCore final : public call::StreamHost, public std::enable_shared_from_this<ChannelCore> {
 public:
  using MakeConnector = std::function<std::unique_ptr<Connector>(net::Loop& loop)>;
  /// On `loop`, or with `own_loop`, which it then takes over. Throws std::invalid_argument for options out of range.
  static std::shared_ptr<ChannelCore> make(net::Loop& loop, ChannelOptions options, const MakeConnector& connector);
  static std::shared_ptr<ChannelCore> make(std::unique_ptr<net::Loop> own_loop, ChannelOptions options,
                                           const MakeConnector& connector);
  ChannelCore(std::unique_ptr<net::Loop> own_loop, net::Loop& loop, ChannelOptions options,
              const MakeConnector& connector);
  ~ChannelCore() override;

  const ChannelOptions& options() const noexcept { return options_; }
  const session::SessionOptions& session_options() const noexcept { return session_options_; }
  net::Loop& loop() const noexcept { return loop_; }
  LoopDriver& driver() noexcept { return driver_; }
  MethodTable& methods() noexcept { return methods_; }
  const call::InterceptorChain& interceptors() const noexcept { return interceptors_; }

  // --- calls; any thread ---

  void begin(CallOperation& operation, const Method& method, MessageView request, const CallOptions& options);
  /// The error of ensure_runner() as that of a call to `method`.
  Status refusal(const Method& method);
  /// Completes `operation` with the refusal, inside the function that begins it, if there is one.
  bool complete_if_refused(CallOperation& operation, const Method& method) {
    return driver_.needs_thread() && complete_without_thread(operation, method);
  }
  /// Begins, and waits until it is complete; `complete` is not called.
  void run(CallOperation& operation, const Method& method, MessageView request, const CallOptions& options);
  /// Begins `calls` and waits until `awaited`, one of them or begun before, is done.
  void begin_and_wait(const std::vector<WindowCall*>& calls, WindowCall& awaited, const Method& method,
                      const CallOptions& options);
  /// Cancels those of `calls`, all begun, that are not done, and waits until all are.
  void abandon(const std::vector<WindowCall*>& calls);
  static void window_call_done(WindowCall& call);
  std::shared_ptr<call::StreamPort> open_stream(const Method& method, const CallOptions& options, MessageView first,
                                                bool ends);
  std::uint64_t next_cancel_number() noexcept {
    return last_cancel_number_.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  void cancel(std::uint64_t cancel_number);
  /// At once on the loop's thread, or if there is no loop any more; else posted. With `is_urgent` the loop gets a
  /// thread, if it needs one to be run at all and the system has one.
  void run_soon(std::function<void()> task, bool is_urgent);

  // --- steps of a call on its way out ---

  /// Starts it on a connection, or has it wait for one.
  void invoke(Attempt& attempt);
  /// True if it was waiting.
  bool forget(Attempt& attempt) noexcept { return pending_.remove(attempt); }
  /// The calls in the pause before their repetition.
  CallDetails*& first_repeating() noexcept { return first_repeating_; }
  /// Any thread.
  const MethodEntry* entry_of(const Method& method, std::unique_ptr<MethodEntry>& own);
  base::TimePoint deadline_of(const CallOptions& options, base::TimePoint& started) const;
  Status choose_coding(const CallOptions& options, MessageView request, const Codec*& codec,
                       const Compressor*& compressor) const;
  Status intercept(Interception& interception, const MethodEntry& method, base::TimePoint& deadline,
                   base::TimePoint& started, Metadata& metadata) const;

  // --- and back ---

  /// From the connection, amid its events: the operation's status is set. The caller's code runs after them, so that it
  /// may block in a call of its own; just a thread that waits is told at once.
  void call_finished(CallOperation& operation, session::Event& event, const ClientConnection& connection) {
    if (!operation.status.is_ok() || operation.details_ != nullptr) [[unlikely]] {
      return call_finished_with_details(operation, event, connection);
    }
    if (!operation.request_stays) return end_soon(operation);
    budget_.on_success();
    operation.complete(operation);
  }
  void take_leading(CallOperation& operation, const Metadata& leading);
  /// Ends it after whoever calls this has returned.
  void end_soon(CallOperation& operation);
  /// What the session says of a call's end, as the caller is told.
  Status describe(const MethodEntry& method, Status status, base::TimePoint deadline, base::TimePoint started,
                  const std::string& peer) const;

  // --- from the connections ---

  void pump();
  void connection_opened();
  void connection_leaves(ClientConnection& connection);
  void connection_closed(ClientConnection& connection, const Status& reason);
  void connecting_failed(const Status& error);
  void refresh_state();
  bool wants_connection() const noexcept { return !pending_.empty() || !ready_waiters_.empty(); }

  // --- the channel; any thread ---

  ChannelState state() const noexcept { return state_.load(std::memory_order_relaxed); }
  Status wait_for_ready(std::chrono::nanoseconds timeout);
  Status close(std::chrono::nanoseconds timeout);
  /// Ends every call with cancelled and lets go of the loop. From the destructor of the channel.
  void shut_down();
  /// In a process forked off meanwhile there is neither the loop's thread nor a connection of its own: whatever the
  /// channel has is left as it is.
  bool is_of_this_process() const noexcept;

  // --- StreamHost ---

  bool is_on_loop() const noexcept override { return !detached_ && loop_.is_current(); }
  void post(std::function<void()> task) override { run_soon(std::move(task), true); }
  /// Error: resource_exhausted, no thread is to be had.
  Status ensure_runner() override {
    return driver_.needs_thread() ? driver_.start_thread(shared_from_this()) : Status();
  }
  void complete_unbegun(call::StreamOperation& operation) override { complete_in_place(operation); }
  bool run(call::StreamOperation& operation, const std::function<void()>& begin) override;
  call::CompletionQueue& completions() noexcept override { return detached_ ? detached_completions_ : completions_; }

 private:
  struct Waiter;

  void begin_with_details(CallOperation& operation, const Method& method, MessageView request,
                          const CallOptions& options);
  Status prepare(CallDetails& details, const Method& method, MessageView request, const CallOptions& options);
  bool try_begin_direct(CallOperation& operation, const Method& method, MessageView request,
                        const CallOptions& options);
  bool complete_without_thread(CallOperation& operation, const Method& method);
  Status keep_request(CallOperation& operation, MessageView request, session::Outgoing& message);
  void launch(CallDetails& details);
  void call_finished_with_details(CallOperation& operation, session::Event& event, const ClientConnection& connection);
  bool may_repeat(const CallOperation& operation) const noexcept;
  void repeat(CallOperation& operation);
  void end(CallOperation& operation);
  void cancel_on_loop(std::uint64_t cancel_number);
  /// It is on its way or waits for one.
  void cancel_operation(CallOperation& operation);
  void run_completions();
  void run_posted();
  void run_detached(const std::function<void()>& task);
  struct DetachedRun;
  DetachedRun* detached_run() const noexcept;
  void complete_detached(call::CompletionQueue& own);
  void complete_detached_until_done(const BlockedCall& call);
  void end_calls_detached();
  void end_all_detached();
  void drive_detached(BlockedCall& call, const std::function<void()>& begin);
  template <class Begin>
  void drive(BlockedCall& call, Begin&& begin) {
    if (detached_) [[unlikely]]
      return drive_detached(call, begin);
    driver_.drive(call, begin);
  }
  void detach();
  void clear_own_loop();
  /// Something on a loop of the channel's own does not end with the call of whoever runs it.
  bool has_work_left() const noexcept;
  void log_exception() const noexcept;
  template <class Task>
  void log_what_throws(Task&& task) const noexcept {
    try {
      task();
    } catch (...) {
      log_exception();
    }
  }
  /// Inside the function that begins it.
  template <class Operation>
  void complete_in_place(Operation& operation) const noexcept {
    operation.is_initiating = true;
    log_what_throws([&] { operation.complete(operation); });
  }
  void connect_if_wanted();
  void begin_close();
  void release_waiters();
  void cut_off(Waiter& waiter);
  std::string waiting_for() const;
  /// Runs `begin` on the loop's thread and waits until waiter.is_done(); its status.
  Status wait(Waiter& waiter, std::chrono::nanoseconds timeout, const std::function<void()>& begin);

  const int process_;
  const std::unique_ptr<net::Loop> own_loop_;
  net::Loop& loop_;
  const ChannelOptions options_;
  const session::SessionOptions session_options_;
  const call::InterceptorChain interceptors_;
  const Compressor* default_compressor_ = nullptr;
  const bool all_direct_;  // no interceptor stands in the direct way
  const bool repeats_;     // calls may be repeated at all
  LoopDriver driver_;
  MethodTable methods_;
  RetryBudget budget_;
  Backoff repeat_backoff_;
  PendingQueue pending_;
  CallDetails* first_repeating_ = nullptr;
  net::Deferred run_completions_;
  call::CompletionQueue completions_;
  call::CompletionQueue detached_completions_;  // under detached_mutex_, empty whenever it is free
  CallOperation* ended_ = nullptr;              // in order, to be completed
  CallOperation* last_ended_ = nullptr;
  std::unique_ptr<ConnectionPool> pool_;

  const MessageType* known_type_ = nullptr;  // the last one, the codec named with it, and what that is
  std::string known_codec_name_;
  const Codec* known_codec_ = nullptr;
  bool is_known_direct_ = false;
  std::unordered_map<std::uint64_t, CallOperation*> cancellable_;
  std::atomic<std::uint64_t> last_cancel_number_{0};
  std::vector<Waiter*> ready_waiters_;  // in wait_for_ready()
  std::vector<Waiter*> close_waiters_;  // in close()
  std::atomic<ChannelState> state_{ChannelState::idle};
  std::atomic<bool> closed_{false};

  // Once detached_, the mutex stands in for the loop's thread, and completion handlers run without it. Before, it
  // guards the step there and what is posted, so that nothing is posted to a loop that nobody runs any more.
  std::recursive_mutex detached_mutex_;
  std::atomic<bool> detached_{false};
  std::list<std::function<void()>> posted_;
  bool posted_woken_ = false;
};

}  // namespace trunkline::client
