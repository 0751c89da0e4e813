// SPDX-License-Identifier: MIT
// ServerCore: listens, runs and stops, which are the tasks that the parts of a server do together.
#include "server/server_core.h"

#include "server/server_options_check.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace trunkline::server {

namespace {

/// The number of turns that a loop needs until the connections that were accepted last are served, so that they are
/// told to go elsewhere: one each for the transport, the first bytes and the session.
constexpr int turns_to_serve = 3;

/// The time that shutdown() waits after its timeout for what the timeout has ended.
constexpr std::chrono::milliseconds grace{100};

ServerOptions checked(ServerOptions options) {
  check_options(options);
  return options;
}

const Status& stop_reason() {
  static const Status reason(StatusCode::unavailable, "the server has been stopped");
  return reason;
}

}  // namespace

ServerCore::ServerCore(ServerOptions options, session::ProtocolTable protocols)
    : server_state_(std::make_shared<ServerState>(checked(std::move(options)), std::move(protocols))),
      loops_(server_state_) {
  if (loops_.size() == 1) server_state_->served_here = &listeners_;
}

ServerCore::ServerCore(net::Loop& users_loop, ServerOptions options, session::ProtocolTable protocols)
    : server_state_(std::make_shared<ServerState>(checked(std::move(options)), std::move(protocols))),
      loops_(server_state_, users_loop) {
  server_state_->served_here = &listeners_;
}

ServerCore::~ServerCore() {
  begin_stop();
  finish_stop();
  // Suspended handlers end with their loop, so what they use must outlive it.
  loops_.destroy_own();
}

bool ServerCore::remove_method(std::string_view name) {
  if (!methods().remove(name)) return false;
  for (const auto& loop : loops_) {
    loop->net_loop().post([weak = std::weak_ptr<ServerLoop>(loop)] {
      if (const std::shared_ptr<ServerLoop> self = weak.lock()) self->release_removed_methods();
    });
  }
  return true;
}

// --- tasks for loops ---

std::function<void()> ServerCore::while_alive(std::function<void()> task) {
  // Loops of our own end with us. They also run tasks in the destructor, when there is no shared pointer any more.
  if (loops_.are_own()) return task;
  return [weak = weak_from_this(), task = std::move(task)] {
    if (const std::shared_ptr<ServerCore> self = weak.lock()) task();
  };
}

/// The outcome of a task. The lifecycle's lock guards it.
struct ServerCore::TaskOutcome {
  bool is_awaited = true;
  bool is_done = false;
  Status status;
};

Status ServerCore::on_first_loop(const std::function<Status()>& task) {
  const Status stopped(StatusCode::failed_precondition, "the server has been stopped");
  if (lifecycle_.is_stopping()) return stopped;
  net::Loop& loop = loops_.first().net_loop();
  const bool is_worker = is_worker_of_users_loop();
  const bool is_run_elsewhere = lifecycle_.runners() > 0 && !loop.is_current();
  if (!is_run_elsewhere && !is_worker) return task();

  const auto outcome = std::make_shared<TaskOutcome>();
  loop.post(while_alive([this, outcome, task] {
    if (lifecycle_.is_stopping()) return;
    bool is_awaited = false;
    lifecycle_.update([&] { is_awaited = outcome->is_awaited; });
    if (!is_awaited) return;
    Status status = task();
    lifecycle_.update([&] {
      outcome->status = std::move(status);
      outcome->is_done = true;
    });
  }));
  // The wait does not last until the end of a stop, which may wait for the handler that waits here.
  lifecycle_.wait_for([&] { return outcome->is_done; }, !is_worker);
  Status status = stopped;
  lifecycle_.update([&] {
    outcome->is_awaited = false;
    if (outcome->is_done) status = outcome->status;
  });
  return status;
}

// --- listening ---

Result<Endpoint> ServerCore::listen(std::string_view uri, bool is_private) {
  auto endpoint = Endpoint::parse(uri);
  if (!endpoint.is_ok()) return std::move(endpoint).status();
  if (endpoint->protocol() != WireProtocol::native) {
    return Status(StatusCode::invalid_argument, "listen on " + endpoint->to_string() +
                                                    ": a server speaks every protocol on each endpoint; listen on " +
                                                    endpoint->with_protocol(WireProtocol::native).to_string());
  }
  const auto opened = std::make_shared<Result<Endpoint>>();
  Status status = on_first_loop([this, requested = *endpoint, is_private, opened] {
    *opened = open_listener(requested, is_private);
    return opened->status();
  });
  if (!status.is_ok()) return status;
  return *opened;
}

Result<Endpoint> ServerCore::open_listener(const Endpoint& endpoint, bool is_private) {
  net::ListenCallbacks callbacks;
  callbacks.assign = [this](const std::string& peer) { return assign_loop(loops_.least_loaded(), peer); };
  callbacks.assign_here = [this](net::Loop& here, const std::string& peer) {
    return assign_loop(loops_.of(here), peer);
  };
  callbacks.on_accept = [this, is_private](net::AcceptedConnection accepted) {
    accepted.is_private = is_private;
    loops_.of(*accepted.transport).accept(std::move(accepted));
  };
  callbacks.on_error = [this](const Status& error) { server_state_->log(LogLevel::warning, error.message(), {}, {}); };
  return listeners_.open(loops_, endpoint, server_state_->options, std::move(callbacks), is_private);
}

Status ServerCore::reload_tls() {
  return on_first_loop([this] { return listeners_.reload_tls(); });
}

net::LoopAssignment ServerCore::assign_loop(ServerLoop& loop, const std::string& peer) {
  if (net::ConnectionPermit permit = loop.acquire_permit(peer))
    return {&loop.net_loop(), std::move(permit), loop.pending()};
  loops_.current().refuse_over_limit(peer);
  return {};
}

void ServerCore::accept_transport(std::unique_ptr<net::Transport> transport) {
  ServerLoop& loop = loops_.of(*transport);
  if (net::ConnectionPermit permit = loop.acquire_permit(transport->peer().address)) {
    return loop.accept({std::move(transport), std::move(permit), loop.net_loop().now()});
  }
  loop.refuse_over_limit(transport->peer().address);
  transport->close();
}

// --- announcing ---

Status ServerCore::announce(MakeAnnouncement make) {
  return on_first_loop([this, make = std::move(make)] { return announcements_.add(make(loops_.first().net_loop())); });
}

// --- running ---

Status ServerCore::start() {
  const std::size_t threads = loops_.are_own() ? loops_.size() : 0;
  switch (lifecycle_.apply(ServerEvent::start, threads)) {
    case ServerAction::start_threads:
      return threads > 0 ? start_threads(0) : Status();
    case ServerAction::refuse_stopped:
      return {StatusCode::failed_precondition, "start server: it has been stopped"};
    default:
      return {};
  }
}

Status ServerCore::run() {
  const ServerEvent event = loops_.are_own() ? ServerEvent::run : ServerEvent::run_users_loop;
  switch (lifecycle_.apply(event, loops_.size())) {
    case ServerAction::refuse_running:
      return {StatusCode::failed_precondition, "run server: it runs already"};
    case ServerAction::refuse_stopped:
      return {StatusCode::failed_precondition, "run server: it has been stopped"};
    case ServerAction::wait:
      lifecycle_.wait_for_end();
      return {};
    default:
      break;
  }
  if (Status status = start_threads(1); !status.is_ok()) return status;
  struct RunEnd {
    ~RunEnd() { lifecycle.apply(ServerEvent::run_ended); }
    ServerLifecycle& lifecycle;
  };
  {
    const RunEnd end{lifecycle_};
    run_loop(0);
  }
  stop();
  return {};
}

Status ServerCore::start_threads(std::size_t first) {
  LoopThreads::Started started = threads_.start(
      first, loops_.size(), [this](std::size_t index) { run_loop(index); },
      [this](std::size_t index) { loops_[index]->net_loop().stop(); });
  if (started.status.is_ok()) return {};
  lifecycle_.apply(ServerEvent::start_failed);
  lifecycle_.remove_runners(loops_.size() - started.threads);
  return started.status;
}

/// Lasts as long as a thread runs a loop.
class ServerCore::RunnerScope {
 public:
  explicit RunnerScope(ServerLifecycle& lifecycle) noexcept : lifecycle_(lifecycle) {}
  ~RunnerScope() { lifecycle_.remove_runners(1); }
  RunnerScope(const RunnerScope&) = delete;
  RunnerScope& operator=(const RunnerScope&) = delete;

 private:
  ServerLifecycle& lifecycle_;
};

void ServerCore::run_loop(std::size_t index) {
  const RunnerScope scope(lifecycle_);
  net::Loop& loop = loops_[index]->net_loop();
  const auto log = [this](const std::string& text) {
    server_state_->log(LogLevel::error, "run loop: an exception" + text, {}, {});
  };
  while (true) {
    try {
      loop.run();
      // This writes the goodbyes of connections that have been closed.
      loop.poll();
      return;
    } catch (const std::exception& error) {
      // An exception of the user's loop is the user's.
      if (!loops_.are_own()) throw;
      log(std::string(": ") + error.what());
    } catch (...) {
      if (!loops_.are_own()) throw;
      log(" that is no std::exception");
    }
  }
}

// --- stopping ---

void ServerCore::stop() {
  if (is_worker_of_users_loop()) {
    return loops_.first().net_loop().post(while_alive([this] { begin_stop(); }));
  }
  begin_stop();
  // A handler cannot wait for its own end.
  if (!is_own_thread()) finish_stop();
}

void ServerCore::begin_stop() {
  if (lifecycle_.apply(ServerEvent::stop) != ServerAction::begin_stop) return;
  // Another thread in stop() must not release what this thread uses.
  struct StopBegun {
    ~StopBegun() { lifecycle.stop_begun(); }
    ServerLifecycle& lifecycle;
  };
  const StopBegun begun{lifecycle_};
  const bool has_runners = lifecycle_.runners() > 0;
  drain_.stop();
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    net::Loop& loop = loops_[i]->net_loop();
    // Without threads in the loops this thread may do their work.
    if (has_runners && !loop.is_current()) {
      loop.post(while_alive([this, i] { leave_loop(i, true); }));
    } else {
      leave_loop(i, has_runners);
    }
  }
}

void ServerCore::leave_loop(std::size_t index, bool stop_loop) {
  const std::shared_ptr<ServerLoop> loop = loops_[index];
  if (index == 0) {
    announcements_.close();
    listeners_.close();
  }
  loop->close_all(stop_reason());
  if (stop_loop) loop->net_loop().stop();
}

void ServerCore::finish_stop() {
  lifecycle_.wait_for_runners();
  const ServerAction action = lifecycle_.apply(ServerEvent::clean_up);
  if (action == ServerAction::wait) return lifecycle_.wait_until_stopped();
  if (action != ServerAction::clean_up) return;
  threads_.join();
  // Polling does what closing connections have left to do. The user's loop is polled only while the server waits for
  // workers, which may need it.
  if (loops_.are_own()) loops_.poll();
  for (const auto& loop : loops_) loop->abandon();
  server_state_->workers.stop([this] { loops_.poll(); });
  if (loops_.are_own()) loops_.poll();
  lifecycle_.apply(ServerEvent::cleaned_up);
}

void ServerCore::stop_on_users_loop() {
  if (lifecycle_.is_stopping()) return;
  loops_.first().net_loop().post(while_alive([this] { begin_stop(); }));
  lifecycle_.wait_until_stopping();
}

// --- graceful shutdown ---

void ServerCore::async_shutdown(std::chrono::nanoseconds timeout, std::function<void(Status)> done) {
  const DrainAction action = drain_.shutdown(loops_.size(), std::move(done));
  if (action == DrainAction::begin) return begin_drain(timeout);
  if (action == DrainAction::wait) hasten_drain(timeout);
}

/// The earliest of all deadlines counts. A loop whose drain has yet to begin remembers it. Loops that nobody runs have
/// nothing to wait for.
void ServerCore::hasten_drain(std::chrono::nanoseconds timeout) {
  if (lifecycle_.runners() == 0 && loops_.are_own()) return;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    auto hasten = [weak = weak_from_this(), i, timeout, loop = loops_[i]] {
      const std::shared_ptr<ServerCore> self = weak.lock();
      if (self == nullptr) return;
      const base::TimePoint deadline = base::deadline_after(loop->net_loop().now(), timeout);
      loop->drain_by(deadline);
      if (i == 0) self->announcements_.withdraw_by(deadline);
    };
    if (loops_[i]->net_loop().is_current()) {
      hasten();
    } else {
      loops_[i]->net_loop().post(hasten);
    }
  }
}

void ServerCore::begin_drain(std::chrono::nanoseconds timeout) {
  const bool are_run = lifecycle_.runners() > 0 || !loops_.are_own();
  // Nothing else could wait for the withdrawal.
  if (!are_run || !announcements_.any()) return drain_loops(timeout, are_run);
  auto withdraw = while_alive([this, timeout] {
    net::Loop& loop = loops_.first().net_loop();
    const base::TimePoint begun = loop.now();
    announcements_.withdraw(base::deadline_after(begun, timeout), [this, &loop, begun, timeout] {
      drain_loops(std::max(timeout - (loop.now() - begun), std::chrono::nanoseconds::zero()), true);
    });
  });
  net::Loop& first = loops_.first().net_loop();
  if (first.is_current()) return withdraw();
  first.post(std::move(withdraw));
}

void ServerCore::drain_loops(std::chrono::nanoseconds timeout, bool are_run) {
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    auto drain_loop = [weak = weak_from_this(), i, timeout, are_run, loop = loops_[i]] {
      const std::shared_ptr<ServerCore> self = weak.lock();
      if (self == nullptr) return;
      const base::TimePoint deadline = base::deadline_after(loop->net_loop().now(), timeout);
      if (i == 0) self->retire_listeners(are_run ? turns_to_serve : 0);
      loop->drain(deadline, [core = self.get()](std::size_t cut_off) { core->drain_.loop_drained(cut_off); });
    };
    if (are_run && !loops_[i]->net_loop().is_current()) {
      loops_[i]->net_loop().post(drain_loop);
    } else {
      drain_loop();
    }
  }
}

void ServerCore::retire_listeners(int turns) {
  listeners_.retire();
  // The tasks are queued behind the connections that have been handed to each loop just now.
  for (const auto& loop : loops_) loop->expect_no_more(turns);
}

Status ServerCore::shutdown(std::chrono::nanoseconds timeout) {
  if (is_own_thread()) {
    return {StatusCode::failed_precondition,
            "server shutdown: would wait for the thread it is called on; use async_shutdown"};
  }
  struct Outcome {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
    Status status;
  };
  const auto outcome = std::make_shared<Outcome>();
  const base::TimePoint deadline = base::deadline_after(base::Clock::now(), timeout);
  async_shutdown(timeout, [outcome](Status status) {
    std::lock_guard lock(outcome->mutex);
    outcome->status = std::move(status);
    outcome->is_done = true;
    outcome->changed.notify_all();
  });
  // A loop on the real clock ends its drain in time unless a handler holds it.
  const auto latest = [deadline] {
    return std::max(deadline, base::Clock::now()) + (deadline == base::never ? base::Duration::zero() : grace);
  };
  bool is_done = false;
  {
    std::unique_lock lock(outcome->mutex);
    const auto done = [&] { return outcome->is_done; };
    if (deadline == base::never) {
      outcome->changed.wait(lock, done);
      is_done = true;
    } else {
      is_done = outcome->changed.wait_until(lock, latest(), done);
    }
  }
  // stop() would wait for handlers, however long they take.
  if (!is_done) {
    begin_stop();
    return {StatusCode::deadline_exceeded, "server shutdown: its timeout has passed, and a handler still holds a loop"};
  }
  const bool is_run_by_user = !loops_.are_own() && lifecycle_.runners() == 0;
  if (is_run_by_user) {
    stop_on_users_loop();
    return outcome->status;
  }
  if (deadline != base::never && !server_state_->workers.wait_until_idle(latest())) {
    begin_stop();
    if (!outcome->status.is_ok()) return outcome->status;
    return {StatusCode::deadline_exceeded,
            "server shutdown: its timeout has passed, and handlers of cancelled calls still run on workers"};
  }
  stop();
  return outcome->status;
}

}  // namespace trunkline::server
