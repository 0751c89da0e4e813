// SPDX-License-Identifier: MIT
// ChannelCore: construction, blocking calls, close and destruction of a channel.
#include "client/channel_core.h"

#include "call/served_here.h"
#include "client/options_check.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

namespace trunkline::client {

namespace {

/// The number of calls completed in one turn of the loop.
constexpr int max_completions_per_turn = 1024;
/// The number of times that the destructor polls a loop of the channel's own. The limit is for handlers that post
/// themselves again and again.
constexpr int max_final_polls = 16;

session::SessionOptions session_options_of(const ChannelOptions& options, session::MemoryBudget& memory) {
  session::SessionOptions result;
  result.limits = options.limits;
  result.ordered = options.ordered;
  result.authority = options.authority;
  result.user_agent = options.user_agent;
  result.http_get = options.http_get;
  result.grpc_web_text = options.grpc_web_text;
  result.codecs = &options.codecs;
  result.compressors = &options.compressors;
  result.compression_threshold = options.compression_threshold;
  result.memory = &memory;
  return result;
}

ChannelOptions checked(ChannelOptions options) {
  check_options(options);
  return options;
}

std::string in_ms(std::chrono::nanoseconds duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) + " ms";
}

constexpr std::chrono::seconds least_hastened_wait{1};

Status closed_status() { return {StatusCode::cancelled, "the channel is closed"}; }

/// The wait of a thread for one operation, on its stack.
template <class Operation>
struct BlockedOperation {
  explicit BlockedOperation(LoopDriver& loop_driver, Operation& operation) : driver(loop_driver) {
    operation.waiter = this;
    operation.complete = [](Operation& ended) {
      auto& self = *static_cast<BlockedOperation*>(ended.waiter);
      self.driver.finish(self.blocked);
    };
  }

  LoopDriver& driver;
  BlockedCall blocked;
};

}  // namespace

std::shared_ptr<ChannelCore> ChannelCore::make(net::Loop& loop, ChannelOptions options, const MakeSource& make_source) {
  return std::make_shared<ChannelCore>(nullptr, loop, std::move(options), make_source);
}

std::shared_ptr<ChannelCore> ChannelCore::make(std::unique_ptr<net::Loop> own_loop, ChannelOptions options,
                                               const MakeSource& make_source) {
  net::Loop& loop = *own_loop;
  return std::make_shared<ChannelCore>(std::move(own_loop), loop, std::move(options), make_source);
}

ChannelCore::MakeSource ChannelCore::pool_with(const MakeConnector& connector) {
  return [connector](const ConnectionSetup& setup, SourceOwner& owner) {
    return std::make_unique<ConnectionPool>(setup, owner, connector(setup.loop));
  };
}

ChannelCore::ChannelCore(std::unique_ptr<net::Loop> own_loop, net::Loop& loop, ChannelOptions options,
                         const MakeSource& make_source)
    : process_(::getpid()),
      own_loop_(std::move(own_loop)),
      loop_(loop),
      options_(checked(std::move(options))),
      memory_(options_.max_memory_bytes, static_cast<std::size_t>(options_.limits.max_message_bytes)),
      session_options_(session_options_of(options_, memory_)),
      log_(options_.log),
      driver_(
          loop_, own_loop_ != nullptr,
          {.work_left = [this]() -> std::shared_ptr<void> { return has_work_left() ? shared_from_this() : nullptr; },
           .on_exception = [this] { log_.log_current(); },
           .on_stopped = [this] { loop_.clear(); }}),
      preparation_(loop_, options_),
      run_completions_([](void* self) { static_cast<ChannelCore*>(self)->run_completions(); }, this),
      completions_(
          [](void* self) {
            auto& core = *static_cast<ChannelCore*>(self);
            core.loop_.defer(core.run_completions_, net::DeferUntil::handler_returns);
          },
          this),
      posted_(loop_),
      detached_streams_(log_),
      rules_(options_),
      invoker_(
          {.loop = loop_, .options = options_, .session_options = session_options_, .calls = *this, .rules = rules_},
          lifecycle_, make_source,
          {.changed = [this] { on_event(invoker_.source().condition()); },
           .is_ready_awaited = [this] { return !ready_waiters_.empty(); }}),
      calls_({.loop = loop_,
              .options = options_,
              .lifecycle = lifecycle_,
              .log = log_,
              .preparation = preparation_,
              .invoker = invoker_,
              .rules = rules_,
              .run_completions = run_completions_,
              .keep_channel = [this] { return shared_from_this(); }}) {
  calls_.retry().set_throttling(rules_.config().retry_throttling);
  rules_.on_change = [this] {
    calls_.retry().set_throttling(rules_.config().retry_throttling);
    invoker_.rules_changed();
  };
}

ChannelCore::~ChannelCore() = default;

bool ChannelCore::is_of_this_process() const noexcept { return process_ == ::getpid(); }

// --- calls ---

Status ChannelCore::refusal(const Method& method) {
  const Status reason = ensure_runner();
  if (reason.is_ok()) return {};
  Status refused(reason.code(), "call " + std::string(method.name()) + ": " + std::string(reason.message()));
  refused.set_may_have_run(false);
  return refused;
}

bool ChannelCore::complete_without_thread(detail::CallOperation& operation, const Method& method) {
  operation.status = refusal(method);
  if (operation.status.is_ok()) return false;
  log_.complete_initiating(operation);
  return true;
}

void ChannelCore::run(detail::CallOperation& operation, const Method& method, MessageView request,
                      const CallOptions& options) {
  if (!operation.one_way && !loop_.is_current() && call::ServedHere::waits_for_itself(invoker_.source().target())) {
    operation.status =
        Status(StatusCode::failed_precondition,
               "call " + std::string(method.name()) + ": would wait for the handler that makes it, since " +
                   invoker_.source().target() + " is served by this thread; use a coroutine or a worker");
    operation.status.set_may_have_run(false);
    return;
  }
  BlockedOperation waiting(driver_, operation);
  operation.request_stays = true;
  drive(waiting.blocked, [&] { begin(operation, method, request, options); });
}

bool ChannelCore::run(detail::StreamOperation& operation, const std::function<void()>& begin) {
  BlockedOperation waiting(driver_, operation);
  if (is_detached()) {
    const std::shared_ptr<ChannelCore> keep = shared_from_this();
    detached_streams_.run_until(begin, [&] { return waiting.blocked.is_done(); });
    driver_.wait(waiting.blocked);
  } else {
    driver_.drive(waiting.blocked, [&] { run_soon(begin, false); });
  }
  return true;
}

void ChannelCore::cancel(std::uint64_t cancel_number) {
  // This is posted also if this is the loop's thread, because the call itself may still be in the queue.
  posted_.post_after_pending([self = shared_from_this(), cancel_number] { self->calls_.cancel(cancel_number); });
}

void ChannelCore::run_soon(std::function<void()> task, bool is_urgent) {
  if (is_on_loop()) return task();
  const std::shared_ptr<ChannelCore> keep = shared_from_this();
  if (is_urgent) static_cast<void>(ensure_runner());
  if (!posted_.push(task, keep)) detached_streams_.run(std::move(task));
}

void ChannelCore::run_completions() {
  const std::shared_ptr<ChannelCore> keep = shared_from_this();
  for (int count = 0; !calls_.ended().empty(); ++count) {
    // A completion may throw, or block in a nested run of the loop: the loop then goes on with the others.
    if ((calls_.ended().has_several() || !completions_.empty()) && !is_detached()) loop_.defer(run_completions_);
    if (count == max_completions_per_turn) break;
    calls_.complete_one();
  }
  completions_.run();
}

bool ChannelCore::has_work_left() const noexcept {
  if (!driver_.needs_thread()) return false;
  if (!calls_.ended().empty() || !completions_.empty()) return true;
  return !lifecycle_.is_closed() && invoker_.has_work_left();
}

// --- wait_for_ready() and close() ---

void ChannelCore::on_event(ChannelLifecycle::Event event) {
  const ChannelState before = state();
  const ChannelLifecycle::Action action = lifecycle_.on(event);
  const ChannelState now = state();
  if (now != before && options_.on_state_change) log_.guard([&] { options_.on_state_change(now); });
  switch (action) {
    case ChannelLifecycle::Action::none:
      return;
    case ChannelLifecycle::Action::finish_ready_waiters:
      return ready_waiters_.finish_all({});
    case ChannelLifecycle::Action::begin_close:
      return begin_close();
    case ChannelLifecycle::Action::finish_close_waiters:
      return close_waiters_.finish_all({});
  }
}

Status ChannelCore::wait(ChannelWaiter& waiter, std::chrono::nanoseconds timeout, const std::function<void()>& begin) {
  const std::function<void()> start = [&] {
    const auto duration = std::chrono::duration_cast<base::Duration>(std::max(timeout, std::chrono::nanoseconds(0)));
    waiter.start_timer(loop_.timers(), base::deadline_after(loop_.now(), duration));
    begin();
  };
  drive(waiter.blocked(), [&] {
    if (is_detached() || loop_.is_current()) return start();
    loop_.post(start);
  });
  return waiter.status();
}

Status ChannelCore::wait_for_ready(std::chrono::nanoseconds timeout) {
  ChannelWaiter waiter(driver_, [&](ChannelWaiter& expired) {
    expired.finish({StatusCode::deadline_exceeded,
                    "wait for channel: not ready after " + in_ms(timeout) + ", waiting for " + invoker_.awaited()});
  });
  return wait(waiter, timeout, [&] {
    if (lifecycle_.is_closed()) {
      return waiter.finish({StatusCode::failed_precondition, "wait for channel: the channel is closed"});
    }
    if (invoker_.is_ready()) return waiter.finish({});
    ready_waiters_.add(waiter);
    // Many short waits in a row are no reason to try more often.
    if (timeout >= least_hastened_wait) invoker_.hasten(base::deadline_after(loop_.now(), timeout));
    invoker_.connect_if_wanted();
  });
}

std::vector<ServerState> ChannelCore::servers() {
  std::vector<ServerState> states;
  if (is_detached()) return states;
  ChannelWaiter waiter(driver_, nullptr);
  static_cast<void>(wait(waiter, base::Duration::max(), [&] {
    states = invoker_.source().servers();
    waiter.finish({});
  }));
  return states;
}

Status ChannelCore::close(std::chrono::nanoseconds timeout) {
  ChannelWaiter waiter(driver_, [&](ChannelWaiter& expired) { cancel_remaining_calls(expired, timeout); });
  return wait(waiter, timeout, [&] {
    close_waiters_.add(waiter);
    on_event(ChannelLifecycle::Event::close);
  });
}

void ChannelCore::begin_close() {
  ready_waiters_.finish_all({StatusCode::cancelled, "wait for channel: the channel is closed"});
  invoker_.fail_pending(closed_status().set_may_have_run(false));
  invoker_.source().drain();
  on_event(invoker_.source().condition());
}

void ChannelCore::cancel_remaining_calls(ChannelWaiter& waiter, std::chrono::nanoseconds timeout) {
  // The waiter leaves the list first, so that the end of the connections does not finish it. The completions of the
  // cancelled calls run later: they may take any time, run the loop, or destroy the channel.
  close_waiters_.remove(waiter);
  const std::size_t count = invoker_.source().open_calls();
  invoker_.source().close_all(closed_status());
  invoker_.source().end_calls();
  // Without open calls, the connections only waited for their peers to close them.
  if (count == 0) return waiter.finish({});
  waiter.finish({StatusCode::deadline_exceeded, "close channel: " + std::to_string(count) +
                                                    " calls were cancelled, they had not ended after " +
                                                    in_ms(timeout)});
}

// --- destruction ---

void ChannelCore::shut_down() {
  const std::shared_ptr<ChannelCore> keep = shared_from_this();
  ChannelWaiter waiter(driver_, nullptr);
  close_now(waiter);
  driver_.stop();
  detach();
  if (driver_.is_own() && !loop_.is_current()) clear_own_loop();
}

/// Closes the channel at once, and waits until every connection has had its last turn, in which it sends goaway.
void ChannelCore::close_now(ChannelWaiter& waiter) {
  // The task runs after the turns that the connections have deferred.
  net::DeferredTask last([](void* self) { static_cast<ChannelWaiter*>(self)->finish({}); }, &waiter);
  const std::function<void()> begin = [&] {
    on_event(ChannelLifecycle::Event::close);
    invoker_.source().close_all(closed_status());
    invoker_.source().end_calls();
    loop_.defer(last);
  };
  if (driver_.is_own() || loop_.is_current()) {
    return log_.guard([&] {
      driver_.drive(waiter.blocked(), [&] {
        if (loop_.is_current()) return begin();
        loop_.post(begin);
      });
    });
  }
  // By the contract of the destructor no thread runs the user's loop, so this one does.
  bool has_begun = false;
  const auto step = [&] {
    if (!std::exchange(has_begun, true)) begin();
    return waiter.is_finished();
  };
  // An exception of a user's handler ends a run of the loop; the next run continues after that handler. A loop with a
  // clock of its own stops as soon as nothing is ready.
  bool is_stopped = false;
  while (!waiter.is_finished() && !is_stopped) {
    log_.guard([&] { is_stopped = !loop_.run_until(step, base::never); });
  }
}

void ChannelCore::detach() {
  detached_streams_.run([this] {
    run_completions_.cancel();
    on_event(ChannelLifecycle::Event::detach);
    invoker_.source().detach();
    PostedTasks::Queue left = posted_.close();
    while (!left.empty()) log_.guard(left.pop_front());
    // Unary calls are completed before operations of streams. This thread also completes the operations that the tasks
    // have ended.
    completions_.splice(detached_streams_.ended());
  });
  complete_detached();
}

/// Destroys the handlers and coroutines in the loop. They may own streams, which own the core, which owns the loop.
void ChannelCore::clear_own_loop() {
  bool has_more = true;
  for (int count = 0; has_more && count < max_final_polls; ++count) {
    log_.guard([&] { has_more = loop_.poll(); });
    complete_detached();
  }
  loop_.clear();
  complete_detached();
}

/// Completes unary calls, then operations of streams, until neither are left. Calls that begin now end at once, so this
/// returns once no completion begins a further call.
void ChannelCore::complete_detached() {
  do {
    calls_.complete_all();
    detached_streams_.run([this] { detached_streams_.ended().splice(completions_); });
  } while (!calls_.ended().empty());
}

/// Serves a completion that the destructor has called and that blocks in a call.
void ChannelCore::drive_detached(BlockedCall& call, const std::function<void()>& begin) {
  begin();
  calls_.complete_all();
  driver_.wait(call);
}

}  // namespace trunkline::client
