// SPDX-License-Identifier: MIT
// A channel with its servers on one loop, in virtual time.
#include "simulation/channel_run.h"

#include "client/channel_core.h"
#include "kit/manual_clock.h"
#include "net/memory_transport.h"
#include "server/server_core.h"
#include "simulation/agenda.h"
#include "simulation/channel_plan.h"
#include "simulation/plan.h"

#include <trunkline/channel.h>
#include <trunkline/detail/unary_handler.h>

#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>

namespace trunkline::simulation {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class ChannelRun {
 public:
  ChannelRun(const ChannelPlan& plan, bool verbose) : plan_(plan), verbose_(verbose), random_(plan.seed + 3) {
    start_server();
    core_ = client::ChannelCore::make(loop(), channel_options(),
                                      [this](net::Loop&) { return std::make_unique<Connector>(*this); });
    channel_ = std::make_unique<Channel>(core_);
    for (const ChannelCallPlan& call : plan.calls) {
      calls_.push_back({.plan = &call});
      agenda_.at(clock_.now() + call.start_at, [this, index = calls_.size() - 1] { begin(calls_[index]); });
    }
    for (const base::Duration at : plan.drains) agenda_.at(clock_.now() + at, [this] { replace_server(); });
  }
  ~ChannelRun() {
    leaving_ = true;
    core_.reset();
    channel_.reset();
    settle();
    server_.reset();
    old_servers_.clear();
    silent_.clear();
    settle();
  }

  void run() {
    run_until([this] { return is_done(); }, minutes(10));
    throw_if_faulty();
    for (const Call& call : calls_) check(call.ends == 1, call, "never ended");
    throw_if_faulty();
    agenda_.at(clock_.now(), [this] { server_->async_shutdown(seconds(5), [this](Status) { stopped_ = true; }); });
    run_until([this] { return stopped_ && draining_ == 0; }, minutes(10));
    throw_if_faulty();
    if (!stopped_ || draining_ > 0) throw Violation("the server does not shut down");
    for (const auto& server : old_servers_)
      if (server->totals().open_calls != 0) throw Violation("a server has calls left after its end");
    for (const Call& call : calls_) check_runs(call);
    throw_if_faulty();
  }

 private:
  struct Call {
    const ChannelCallPlan* plan = nullptr;
    bool begun = false;
    int ends = 0;
    int runs = 0;
    bool cancelled = false;
    Status status{};
    std::unique_ptr<asio::cancellation_signal> signal{};
  };

  /// Connects to the server that is running.
  class Connector final : public client::Connector {
   public:
    explicit Connector(ChannelRun& run) : run_(run) {}
    std::shared_ptr<net::Dial> connect(net::DialCallback callback) override {
      auto shared = std::make_shared<net::DialCallback>(std::move(callback));
      run_.loop().post([&run = run_, shared] { run.make_connection(*shared); });
      return nullptr;
    }
    const session::Protocol& protocol(const net::PeerInfo&) const noexcept override {
      return run_.plan_.is_grpc ? session::grpc::protocol() : session::native::protocol();
    }
    const std::string& target() const noexcept override { return target_; }

   private:
    ChannelRun& run_;
    std::string target_ = "inproc://simulation";
  };

  net::Loop& loop() { return net::Loop::of(*event_loop_); }
  void log(const std::string& text) {
    if (!verbose_) return;
    const double ms = std::chrono::duration<double, std::milli>(clock_.now() - begin_time_).count();
    std::printf("%10.3f ms  %s\n", ms, text.c_str());
  }
  /// Records the violation instead of throwing: most checks run in callbacks of the library.
  void check(bool holds, const Call& call, const std::string& what) {
    if (!holds && fault_.empty()) fault_ = "channel call " + std::to_string(call.plan->index) + ": " + what;
  }
  void throw_if_faulty() const {
    if (!fault_.empty()) throw Violation(fault_);
  }

  void make_connection(net::DialCallback& callback) {
    if (refused_ < plan_.refused_connections) {
      ++refused_;
      log("connection refused");
      Status status(StatusCode::unavailable, "connect: refused", StatusOrigin::transport);
      status.set_may_have_run(false);
      return callback(std::move(status));
    }
    if (silent_.size() < static_cast<std::size_t>(plan_.silent_connections)) {
      log("connected, silent");
      auto [near, far] = net::make_memory_pair(loop(), loop(), {.buffer_bytes = plan_.link_bytes});
      silent_.push_back(std::move(far));
      return callback(std::unique_ptr<net::Transport>(std::move(near)));
    }
    if (closed_ < plan_.closed_connections) {
      ++closed_;
      log("connected, closed");
      auto [near, far] = net::make_memory_pair(loop(), loop(), {.buffer_bytes = plan_.link_bytes});
      far->close();
      return callback(std::unique_ptr<net::Transport>(std::move(near)));
    }
    log("connected");
    auto [near, far] = net::make_memory_pair(loop(), loop(), {.buffer_bytes = plan_.link_bytes});
    server_->accept_transport(std::make_unique<FaultyTransport>(std::move(far), plan_.draw_faults(random_)));
    std::unique_ptr<net::Transport> faulty =
        std::make_unique<FaultyTransport>(std::move(near), plan_.draw_faults(random_));
    callback(std::move(faulty));
  }

  ChannelOptions channel_options() {
    ChannelOptions options = plan_.channel;
    options.log = [this](const LogRecord& record) { log("channel: " + std::string(record.message)); };
    return options;
  }
  void start_server() {
    ServerOptions options = plan_.server;
    options.log = [this](const LogRecord& record) { log("server: " + std::string(record.message)); };
    server_ = std::make_shared<server::ServerCore>(loop(), std::move(options));
    add("Plain",
        [this](const std::string& request, std::string& response, ServerContext&) { return serve(request, response); });
    add("Slow", [this](const std::string& request, std::string& response, ServerContext&) -> asio::awaitable<Status> {
      co_await sleep(request);
      co_return serve(request, response);
    });
  }
  template <class Function>
  void add(std::string_view name, Function function) {
    server_->methods().add(
        name, std::make_unique<detail::UnaryHandler<std::string, std::string, Function>>(std::move(function), false),
        {});
  }
  void replace_server() {
    log("drain");
    const std::shared_ptr<server::ServerCore> old = server_;
    old_servers_.push_back(old);
    start_server();
    ++draining_;
    old->async_shutdown(minutes(5), [this](const Status& status) {
      --draining_;
      if (leaving_) return;
      log("drained: " + status.to_string());
    });
  }

  /// The request: the index in decimal, a blank, the bytes of the plan.
  Call& call_of(const std::string& request) {
    const std::size_t index = static_cast<std::size_t>(std::strtoull(request.c_str(), nullptr, 10));
    if (index >= calls_.size()) {
      fault_ = "a request that nobody made";
      return calls_.front();
    }
    return calls_[index];
  }
  std::string request_of(const Call& call) {
    return std::to_string(call.plan->index) + " " +
           std::string(content(call.plan->index, Direction::request, 0, call.plan->request_bytes));
  }
  Status serve(const std::string& request, std::string& response) {
    Call& call = call_of(request);
    ++call.runs;
    log("run call " + std::to_string(call.plan->index));
    check(request == request_of(call), call, "the request's bytes have changed");
    if (call.plan->fails) return {StatusCode::aborted, "planned"};
    response = request;
    return {};
  }
  asio::awaitable<void> sleep(const std::string& request) {
    const auto timer = std::make_shared<asio::steady_timer>(loop().context(), asio::steady_timer::time_point::max());
    agenda_.at(clock_.now() + call_of(request).plan->work_time,
               [timer] { timer->expires_at(asio::steady_timer::time_point::min()); });
    std::error_code error;
    do co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, error));
    while (error && timer->expiry() == asio::steady_timer::time_point::max() &&
           !(co_await asio::this_coro::cancellation_state).cancelled());
  }

  void begin(Call& call) {
    const ChannelCallPlan& plan = *call.plan;
    call.begun = true;
    CallOptions options{.wait_for_ready = true, .idempotent = plan.idempotent};
    if (plan.timeout) options.timeout = *plan.timeout;
    const char* method = plan.suspends ? "Slow" : "Plain";
    log("begin call " + std::to_string(plan.index) + (plan.one_way ? " one-way" : ""));
    if (plan.one_way) {
      channel_->async_call_oneway(method, request_of(call), options, [&call](Status status) {
        ++call.ends;
        call.status = std::move(status);
      });
      return;
    }
    call.signal = std::make_unique<asio::cancellation_signal>();
    channel_->async_call<std::string>(
        method, request_of(call), options,
        asio::bind_cancellation_slot(call.signal->slot(),
                                     [this, &call](Result<std::string> result) { end(call, result); }));
    if (plan.cancel_after) {
      agenda_.at(clock_.now() + *plan.cancel_after, [this, &call] {
        if (call.ends > 0) return;
        log("cancel call " + std::to_string(call.plan->index));
        call.cancelled = true;
        call.signal->emit(asio::cancellation_type::terminal);
      });
    }
  }

  void end(Call& call, const Result<std::string>& result) {
    const ChannelCallPlan& plan = *call.plan;
    if (leaving_) return;
    log("end call " + std::to_string(plan.index) + ": " + result.status().to_string());
    ++call.ends;
    check(call.ends == 1, call, "ended twice");
    call.status = result.status();
    if (result.is_ok()) {
      check(!plan.fails, call, "succeeded where it had to fail");
      check(call.runs > 0, call, "finished without having run");
      check(*result == request_of(call), call, "the response's bytes have changed");
      return;
    }
    const StatusCode code = call.status.code();
    const bool is_planned = plan.fails && code == StatusCode::aborted;
    const bool is_late = plan.timeout && code == StatusCode::deadline_exceeded;
    const bool is_cancelled = call.cancelled && code == StatusCode::cancelled;
    // A request that is too long to be retained is not retried on the next server, and no call of an ordered channel
    // is; the caller learns that it may retry.
    const bool is_retained = plan.request_bytes + 20 < plan_.channel.max_retained_request_bytes || plan.idempotent;
    const bool is_refused =
        !plan_.drains.empty() && !call.status.may_have_run() && (!is_retained || plan_.channel.ordered);
    const bool is_lost = code == StatusCode::unavailable && (plan_.breaks || is_refused);
    // An idempotent call may have run on a connection that broke before it was refused on the next.
    // So may an attempt of a hedged call, and the one that a planned failure has ended before.
    const bool may_have_run_before =
        (plan.idempotent && (plan_.breaks || plan_.channel.hedging)) || (plan_.is_retried && plan.fails);
    const bool cannot_have_run = !call.status.may_have_run() || may_have_run_before;
    const bool is_limited = plan_.server.max_concurrent_calls_per_connection < 1000 || plan_.is_short_of_memory;
    // Over gRPC a server that sheds calls refuses their streams, and retries may not suffice.
    const bool is_shed_code =
        code == StatusCode::resource_exhausted || (plan_.is_grpc && code == StatusCode::unavailable);
    // A status that gRPC carries does not say so.
    const bool has_not_run = cannot_have_run || (plan_.is_grpc && call.runs == 0);
    const bool is_shed = is_limited && is_shed_code && has_not_run;
    check(is_planned || is_late || is_cancelled || is_lost || is_shed, call,
          "ended without a reason: " + call.status.to_string());
  }

  void check_runs(const Call& call) {
    const bool is_repeated = plan_.is_retried && call.plan->fails && !plan_.channel.ordered;
    const int most = is_repeated ? ChannelPlan::most_attempts : 1;
    if (!call.plan->idempotent) check(call.runs <= most, call, "ran " + std::to_string(call.runs) + " times");
    const bool said_not_run = call.ends == 1 && !call.status.is_ok() && !call.status.may_have_run();
    if (said_not_run) check(call.runs == 0, call, "said not to have run, but it has");
  }

  bool is_done() const {
    for (const Call& call : calls_)
      if (!call.begun || call.ends == 0) return false;
    return true;
  }
  void settle() {
    while (event_loop_->poll()) {
    }
  }
  template <class Condition>
  void run_until(Condition is_met, base::Duration time) {
    const base::TimePoint limit = clock_.now() + time;
    while (fault_.empty() && !is_met()) {
      settle();
      if (agenda_.next() <= clock_.now()) {
        event_loop_->post([this] { agenda_.run(clock_.now()); });
        continue;
      }
      if (is_met()) return;
      const base::TimePoint next = std::min(agenda_.next(), loop().timers().next_wakeup());
      if (next > limit) return;
      clock_.set(next);
    }
  }

  const ChannelPlan& plan_;
  const bool verbose_;
  Random random_;
  kit::ManualClock clock_;
  const base::TimePoint begin_time_ = clock_.now();
  std::unique_ptr<EventLoop> event_loop_ = net::Loop::make_event_loop({}, &clock_);
  Agenda agenda_;
  std::shared_ptr<server::ServerCore> server_;
  std::vector<std::shared_ptr<server::ServerCore>> old_servers_;
  std::shared_ptr<client::ChannelCore> core_;
  std::unique_ptr<Channel> channel_;
  std::deque<Call> calls_;
  std::string fault_;
  bool leaving_ = false;
  int refused_ = 0;
  int closed_ = 0;
  /// The far ends of connections that nobody serves.
  std::vector<std::unique_ptr<net::Transport>> silent_;
  int draining_ = 0;
  bool stopped_ = false;
};

}  // namespace

void run_channel(std::uint64_t seed, bool verbose) {
  const ChannelPlan plan(seed);
  if (verbose) std::printf("%s\n", plan.describe().c_str());
  ChannelRun run(plan, verbose);
  run.run();
}

}  // namespace trunkline::simulation
