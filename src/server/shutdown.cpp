// SPDX-License-Identifier: MIT
// The graceful end of a server: every loop drains, then whoever waits is told.
#include "server/server_core.h"

#include <string>
#include <utility>

namespace trunkline::server {

namespace {

/// In these what the listeners took last begins to be served, if it has said something, and is told to go elsewhere.
constexpr int turns_to_begin = 3;

}  // namespace

/// Guarded by the server's mutex.
struct ServerCore::Drain {
  std::size_t loops_left = 0;
  std::size_t cut_off = 0;
  bool is_done = false;
  Status status;
  std::vector<std::function<void(Status)>> waiting;
};

void ServerCore::async_shutdown(std::chrono::nanoseconds timeout, std::function<void(Status)> done) {
  enum class Stage : std::uint8_t { not_begun, begun, over };
  Stage stage = Stage::not_begun;
  Status status;
  std::vector<std::function<void()>> to_tell;
  {
    std::lock_guard lock(mutex_);
    if (is_leaving() || (drain_ != nullptr && drain_->is_done)) {
      stage = Stage::over;
      if (drain_ != nullptr && drain_->is_done) status = drain_->status;
    } else {
      stage = drain_ == nullptr ? Stage::not_begun : Stage::begun;
      if (drain_ == nullptr) {
        drain_ = std::make_shared<Drain>();
        drain_->loops_left = loops_.size();
        to_tell.swap(on_shutdown_);
      }
      if (done) drain_->waiting.push_back(std::move(done));
    }
  }
  for (const auto& tell : to_tell) tell();
  if (stage == Stage::not_begun) begin_drain(timeout);
  if (stage == Stage::over && done) done(std::move(status));
}

void ServerCore::on_shutdown(std::function<void()> callback) {
  {
    std::lock_guard lock(mutex_);
    if (drain_ == nullptr) return on_shutdown_.push_back(std::move(callback));
  }
  callback();
}

void ServerCore::begin_drain(std::chrono::nanoseconds timeout) {
  bool run_by_threads = false;
  {
    std::lock_guard lock(mutex_);
    run_by_threads = runners_ > 0 || !owns_loops();
  }
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    auto leave = [weak = weak_from_this(), i, timeout, run_by_threads, loop = loops_[i]] {
      const std::shared_ptr<ServerCore> self = weak.lock();
      if (self == nullptr) return;
      const base::TimePoint deadline = base::deadline_after(loop->net_loop().now(), timeout);
      if (i == 0) self->retire_listeners(run_by_threads ? turns_to_begin : 0);
      loop->drain(deadline, [core = self.get()](std::size_t cut_off) { core->loop_drained(cut_off); });
    };
    if (run_by_threads && !loops_[i]->net_loop().is_current()) {
      loops_[i]->net_loop().post(leave);
    } else {
      leave();
    }
  }
}

void ServerCore::retire_listeners(int turns) {
  for (const auto& listener : listeners_) listener->retire();
  {
    std::lock_guard lock(mutex_);
    endpoints_.clear();
  }
  // Behind the connections that have been given to each loop just now.
  for (const auto& loop : loops_) loop->expect_last(turns);
}

void ServerCore::loop_drained(std::size_t cut_off) {
  std::vector<std::function<void(Status)>> waiting;
  Status status;
  {
    std::lock_guard lock(mutex_);
    if (drain_->is_done) return;
    drain_->cut_off += cut_off;
    if (--drain_->loops_left > 0) return;
    if (drain_->cut_off > 0) {
      drain_->status =
          Status(StatusCode::deadline_exceeded,
                 "server shutdown: its timeout has passed, calls cut off: " + std::to_string(drain_->cut_off));
    }
    drain_->is_done = true;
    status = drain_->status;
    waiting.swap(drain_->waiting);
  }
  for (const auto& done : waiting) done(status);
}

void ServerCore::end_drain_early() {
  std::vector<std::function<void(Status)>> waiting;
  {
    std::lock_guard lock(mutex_);
    if (drain_ == nullptr || drain_->is_done) return;
    drain_->is_done = true;
    drain_->status = Status(StatusCode::aborted, "server shutdown: stop() came before it was done");
    waiting.swap(drain_->waiting);
  }
  for (const auto& done : waiting) done(drain_->status);
}

Status ServerCore::shutdown(std::chrono::nanoseconds timeout) {
  if (is_own_thread()) {
    return {StatusCode::failed_precondition,
            "server shutdown: would wait for the thread it is called on; use async_shutdown"};
  }
  struct Outcome {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    Status status;
  };
  const auto outcome = std::make_shared<Outcome>();
  async_shutdown(timeout, [outcome](Status status) {
    std::lock_guard lock(outcome->mutex);
    outcome->status = std::move(status);
    outcome->done = true;
    outcome->changed.notify_all();
  });
  {
    std::unique_lock lock(outcome->mutex);
    outcome->changed.wait(lock, [&] { return outcome->done; });
  }
  bool run_by_user = false;
  {
    std::lock_guard lock(mutex_);
    run_by_user = !owns_loops() && runners_ == 0;
  }
  run_by_user ? stop_on_users_loop() : stop();
  return outcome->status;
}

void ServerCore::stop_on_users_loop() {
  std::unique_lock lock(mutex_);
  if (is_leaving()) return;
  user_loop_->post(while_alive([this] { begin_stop(); }));
  changed_.wait(lock, [this] { return is_leaving(); });
}

}  // namespace trunkline::server
