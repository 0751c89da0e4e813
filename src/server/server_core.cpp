// SPDX-License-Identifier: MIT
// Starting, running and stopping of a server's loops.
#include "server/server_core.h"

#include <exception>
#include <string>
#include <utility>

namespace trunkline::server {

namespace {

ServerOptions checked(ServerOptions options) {
  check_options(options);
  return options;
}

const Status& stop_reason() {
  static const Status reason(StatusCode::unavailable, "the server has been stopped");
  return reason;
}

}  // namespace

ServerCore::ServerCore(ServerOptions options)
    : environment_(std::make_shared<Environment>(checked(std::move(options)))), user_loop_(nullptr) {
  const ServerOptions& made = environment_->options;
  for (std::size_t i = 0; i < made.loops; ++i) {
    own_loops_.push_back(std::make_unique<net::Loop>(made.loop));
    loops_.push_back(std::make_shared<ServerLoop>(environment_, *own_loops_.back()));
  }
}

ServerCore::ServerCore(net::Loop& loop, ServerOptions options)
    : environment_(std::make_shared<Environment>(checked(std::move(options)))), user_loop_(&loop) {
  loops_.push_back(std::make_shared<ServerLoop>(environment_, loop));
}

ServerCore::~ServerCore() {
  begin_stop();
  finish_stop();
  // Suspended handlers end with their loop; what they use goes after it.
  own_loops_.clear();
}

bool ServerCore::remove_method(std::string_view name) {
  if (!environment_->methods.remove(name)) return false;
  for (const auto& loop : loops_) {
    loop->net_loop().post([weak = std::weak_ptr<ServerLoop>(loop)] {
      if (const std::shared_ptr<ServerLoop> self = weak.lock()) self->let_go_of_methods();
    });
  }
  return true;
}

bool ServerCore::is_own_thread() const noexcept {
  for (const auto& loop : loops_) {
    if (loop->net_loop().is_current()) return true;
  }
  return environment_->workers.is_worker();
}

std::function<void()> ServerCore::while_alive(std::function<void()> task) {
  // Loops of our own end with us, also while nobody shares us any more.
  if (owns_loops()) return task;
  return [weak = weak_from_this(), task = std::move(task)] {
    if (const std::shared_ptr<ServerCore> self = weak.lock()) task();
  };
}

Status ServerCore::start() {
  std::unique_lock lock(mutex_);
  if (state_ == State::running) return {};
  if (state_ != State::idle) return {StatusCode::failed_precondition, "start server: it has been stopped"};
  state_ = State::running;
  return owns_loops() ? start_threads(0, lock) : Status();
}

Status ServerCore::start_threads(std::size_t first, std::unique_lock<std::mutex>& lock) {
  try {
    threads_.reserve(loops_.size());
    for (std::size_t i = first; i < loops_.size(); ++i) {
      threads_.emplace_back([this, i] { run_loop(i); });
      ++runners_;
    }
    return {};
  } catch (const std::exception& error) {
    Status status(StatusCode::resource_exhausted, "start server: thread " + std::to_string(threads_.size() + 1) +
                                                      " for loops " + std::to_string(loops_.size()) + ": " +
                                                      error.what());
    std::vector<std::thread> started;
    started.swap(threads_);
    for (std::size_t i = 0; i < started.size(); ++i) loops_[first + i]->net_loop().stop();
    lock.unlock();
    for (std::thread& thread : started) thread.join();
    lock.lock();
    if (state_ == State::running) state_ = State::idle;
    return status;
  }
}

Status ServerCore::run() {
  {
    std::unique_lock lock(mutex_);
    if (is_leaving() || is_run_) {
      return {StatusCode::failed_precondition,
              is_run_ ? "run server: it runs already" : "run server: it has been stopped"};
    }
    const bool started = state_ == State::running;
    if (started && owns_loops()) {
      changed_.wait(lock, [this] { return state_ == State::stopped || runners_ == 0; });
      return {};
    }
    state_ = State::running;
    if (Status failed = start_threads(1, lock); !failed.is_ok()) return failed;
    is_run_ = true;
    ++runners_;
  }
  run_loop(0);
  stop();
  return {};
}

void ServerCore::run_loop(std::size_t index) {
  struct Leaving {
    ~Leaving() {
      std::lock_guard lock(core.mutex_);
      --core.runners_;
      if (index == 0) core.is_run_ = false;
      core.changed_.notify_all();
    }
    ServerCore& core;
    const std::size_t index;
  };
  const Leaving leaving{*this, index};
  net::Loop& loop = loops_[index]->net_loop();
  for (bool done = false; !done;) {
    try {
      loop.run();
      loop.poll();  // closed connections say goodbye
      done = true;
    } catch (const std::exception& error) {
      if (!owns_loops()) throw;  // the user's own, or as good as that
      environment_->log(LogLevel::error, std::string("run loop: an exception: ") + error.what(), {}, {});
    } catch (...) {
      if (!owns_loops()) throw;
      environment_->log(LogLevel::error, "run loop: an exception that is no std::exception", {}, {});
    }
  }
}

void ServerCore::begin_stop() {
  bool stop_loops = false;
  {
    std::lock_guard lock(mutex_);
    if (is_leaving()) return;
    state_ = State::stopping;
    stop_loops = runners_ > 0;
    changed_.notify_all();
  }
  end_drain_early();
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    // Without threads in the loops their owner is here.
    if (stop_loops && !loops_[i]->net_loop().is_current()) {
      loops_[i]->net_loop().post(while_alive([this, i] { leave_loop(i, true); }));
    } else {
      leave_loop(i, stop_loops);
    }
  }
}

void ServerCore::leave_loop(std::size_t index, bool stop_loop) {
  const std::shared_ptr<ServerLoop> loop = loops_[index];
  if (index == 0) close_listeners();
  loop->close_all(stop_reason());
  if (stop_loop) loop->net_loop().stop();
}

void ServerCore::stop() {
  if (is_worker_of_users_loop()) return user_loop_->post(while_alive([this] { begin_stop(); }));
  begin_stop();
  // Who is inside a handler cannot wait for it.
  if (!is_own_thread()) finish_stop();
}

void ServerCore::finish_stop() {
  std::vector<std::thread> threads;
  {
    std::unique_lock lock(mutex_);
    if (state_ == State::stopped) return;
    changed_.wait(lock, [this] { return runners_ == 0; });
    if (state_ == State::stopped) return;
    threads.swap(threads_);
    // The first to come here cleans up; the others wait for it above.
    runners_ = 1;
  }
  for (std::thread& thread : threads) thread.join();
  // What closing connections have left to be done. A user's loop is not run behind its owner's back, unless a worker
  // waits for it.
  const auto poll_loops = [this] {
    for (const auto& loop : loops_) loop->net_loop().poll();
  };
  if (owns_loops()) poll_loops();
  for (const auto& loop : loops_) loop->abandon();
  environment_->workers.stop(poll_loops);
  if (owns_loops()) poll_loops();
  std::lock_guard lock(mutex_);
  runners_ = 0;
  state_ = State::stopped;
  changed_.notify_all();
}

ServerStats ServerCore::stats() const {
  ServerStats stats;
  for (const auto& loop : loops_) loop->counters().add_to(stats);
  stats.queued_blocking_calls = environment_->workers.queued();
  return stats;
}

}  // namespace trunkline::server
