// SPDX-License-Identifier: MIT
// ChannelCore: the implementation of a channel: its parts, its state, and how it is closed.
#pragma once

#include "call/stream_host.h"
#include "client/call_preparation.h"
#include "client/channel_lifecycle.h"
#include "client/channel_waiter.h"
#include "client/connection_invoker.h"
#include "client/detached_streams.h"
#include "client/exception_log.h"
#include "client/loop_driver.h"
#include "client/posted_tasks.h"
#include "client/service_rules.h"
#include "client/unary_calls.h"
#include "session/memory_budget.h"
#include "session/session_options.h"

#include <trunkline/channel_options.h>
#include <trunkline/channel_state.h>

#include <functional>
#include <memory>
#include <string>

namespace trunkline::client {

/// A channel is composed of these parts:
///
/// - ChannelLifecycle: what the channel does at present, and which calls it accepts
/// - CallPreparation: methods, deadlines, codecs and interceptors of calls that begin
/// - UnaryCalls: unary calls, their retries and their completion; ClientStreamCore: streams, each an object of its own
/// - ServiceRules: what the service config asks for each method
/// - ConnectionInvoker: the queue of calls that wait, and the pool of connections below it
/// - LoopDriver: which thread runs the loop; PostedTasks: what other threads hand to it
/// - DetachedStreams: streams that outlive the channel
///
/// The channel, its streams and its thread share the ownership. Functions are for the loop's thread, except where
/// noted. Once the channel has left its loop (is_detached()), the thread of its destructor takes the place of the
/// loop's thread. It has more than 40 functions, because it is the one way to the parts: it implements StreamHost and
/// UnaryCallOwner, and forwards most calls to one part.
class ChannelCore final : public call::StreamHost,
                          public UnaryCallOwner,
                          public std::enable_shared_from_this<ChannelCore> {
 public:
  using MakeSource = ConnectionInvoker::MakeSource;
  /// Makes the connector of a channel to one server.
  using MakeConnector = std::function<std::unique_ptr<Connector>(net::Loop& loop)>;
  /// Makes a channel on `loop`, or with a loop of its own. Throws std::invalid_argument for options out of range.
  static std::shared_ptr<ChannelCore> make(net::Loop& loop, ChannelOptions options, const MakeSource& make_source);
  static std::shared_ptr<ChannelCore> make(std::unique_ptr<net::Loop> own_loop, ChannelOptions options,
                                           const MakeSource& make_source);
  static std::shared_ptr<ChannelCore> make(net::Loop& loop, ChannelOptions options, const MakeConnector& connector) {
    return make(loop, std::move(options), pool_with(connector));
  }
  static std::shared_ptr<ChannelCore> make(std::unique_ptr<net::Loop> own_loop, ChannelOptions options,
                                           const MakeConnector& connector) {
    return make(std::move(own_loop), std::move(options), pool_with(connector));
  }
  ChannelCore(std::unique_ptr<net::Loop> own_loop, net::Loop& loop, ChannelOptions options,
              const MakeSource& make_source);
  ~ChannelCore() override;

  const ChannelOptions& options() const noexcept { return options_; }
  net::Loop& loop() const noexcept { return loop_; }
  LoopDriver& driver() noexcept { return driver_; }
  CallPreparation& preparation() noexcept { return preparation_; }
  ConnectionInvoker& invoker() noexcept { return invoker_; }
  UnaryCalls& calls() noexcept { return calls_; }
  ServiceRules& rules() noexcept { return rules_; }
  const ExceptionLog& log() const noexcept { return log_; }

  // --- calls; any thread ---

  void begin(detail::CallOperation& operation, const Method& method, MessageView request, const CallOptions& options) {
    calls_.begin(operation, method, request, options);
  }
  /// Returns the error with which ensure_runner() refuses a call to `method`.
  Status refusal(const Method& method);
  /// Completes `operation` with that error, if there is one, before the function that begins the call returns.
  bool complete_if_refused(detail::CallOperation& operation, const Method& method) {
    return driver_.needs_thread() && complete_without_thread(operation, method);
  }
  /// Begins a call and waits until it is complete. Does not call `operation.complete`.
  void run(detail::CallOperation& operation, const Method& method, MessageView request, const CallOptions& options);
  /// Cancels the call with that number if it has not ended.
  void cancel(std::uint64_t cancel_number);
  /// Runs `begin`, which begins `call`, and waits until the call is finished. See LoopDriver::drive() for the thread.
  template <class Begin>
  void drive(BlockedCall& call, Begin&& begin) {
    if (is_detached()) [[unlikely]]
      return drive_detached(call, begin);
    driver_.drive(call, begin);
  }
  /// Runs `task` at once if this is the loop's thread or if the loop is gone; otherwise posts it to the loop. With
  /// `is_urgent` it starts a thread for the loop if no thread runs it, unless the system refuses one.
  void run_soon(std::function<void()> task, bool is_urgent);

  // --- the channel; any thread ---

  ChannelState state() const noexcept { return lifecycle_.state(); }
  /// Returns the memory of the channel. Any thread may call it.
  const session::MemoryBudget& memory() const noexcept { return memory_; }
  bool is_detached() const noexcept { return lifecycle_.is_detached(); }
  Status wait_for_ready(std::chrono::nanoseconds timeout);
  std::vector<ServerState> servers();
  Status close(std::chrono::nanoseconds timeout);
  /// Ends every call with cancelled, and leaves the loop. The destructor of the channel calls it.
  void shut_down();
  /// Returns false in a forked child. It has neither the loop's thread nor the connections, and must not use or destroy
  /// any part of the channel.
  bool is_of_this_process() const noexcept;

  // --- UnaryCallOwner ---

  std::shared_ptr<void> keep_alive() override { return shared_from_this(); }
  void response_begun(detail::CallOperation& operation, const Metadata& leading) override {
    calls_.response_begun(operation, leading);
  }
  void response_received(detail::CallOperation& operation) override { calls_.response_received(operation); }
  void call_finished(detail::CallOperation& operation, session::Event& event,
                     const ClientConnection& connection) override {
    calls_.call_finished(operation, event, connection);
  }

  // --- StreamHost ---

  bool is_on_loop() const noexcept override { return !is_detached() && loop_.is_current(); }
  void post(std::function<void()> task) override { run_soon(std::move(task), true); }
  /// Makes sure that a thread runs the loop. Error: resource_exhausted if the system refuses a thread.
  Status ensure_runner() override {
    return driver_.needs_thread() ? driver_.start_thread(shared_from_this()) : Status();
  }
  void complete_unbegun(detail::StreamOperation& operation) override { log_.complete_initiating(operation); }
  bool run(detail::StreamOperation& operation, const std::function<void()>& begin) override;
  call::CompletionQueue& completions() noexcept override {
    return is_detached() ? detached_streams_.ended() : completions_;
  }

 private:
  static MakeSource pool_with(const MakeConnector& connector);
  bool complete_without_thread(detail::CallOperation& operation, const Method& method);
  void on_event(ChannelLifecycle::Event event);
  void begin_close();
  /// Cancels the calls that have not ended within the timeout of close().
  void cancel_remaining_calls(ChannelWaiter& waiter, std::chrono::nanoseconds timeout);
  /// Runs `begin` on the loop's thread, and waits until the waiter is finished or its timeout has passed.
  Status wait(ChannelWaiter& waiter, std::chrono::nanoseconds timeout, const std::function<void()>& begin);
  void run_completions();
  /// Returns true if the loop must be run although no thread waits for a call.
  bool has_work_left() const noexcept;
  void close_now(ChannelWaiter& waiter);
  void drive_detached(BlockedCall& call, const std::function<void()>& begin);
  void detach();
  void clear_own_loop();
  void complete_detached();

  const int process_;
  const std::unique_ptr<net::Loop> own_loop_;
  net::Loop& loop_;
  const ChannelOptions options_;
  session::MemoryBudget memory_;
  const session::SessionOptions session_options_;
  const ExceptionLog log_;
  ChannelLifecycle lifecycle_;
  LoopDriver driver_;
  CallPreparation preparation_;
  /// Calls run_completions().
  net::DeferredTask run_completions_;
  /// The operations of streams that have ended, while there is a loop.
  call::CompletionQueue completions_;
  PostedTasks posted_;
  DetachedStreams detached_streams_;
  /// The threads in wait_for_ready().
  WaiterList ready_waiters_;
  /// The threads in close().
  WaiterList close_waiters_;
  ServiceRules rules_;
  ConnectionInvoker invoker_;
  UnaryCalls calls_;
};

}  // namespace trunkline::client
