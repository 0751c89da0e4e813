// SPDX-License-Identifier: MIT
// ServerLifecycle: the table of a server's life, and waiting for its changes.
#include "server/server_lifecycle.h"

#include <array>

namespace trunkline::server {

namespace {

using A = ServerAction;
using S = ServerStage;
using Row = std::array<ServerTransition, server_events>;

// The columns: start, run, run_users_loop, start_failed, run_ended, stop, clean_up, cleaned_up.
constexpr std::array<Row, server_stages> table = {{
    // idle
    {{{A::start_threads, S::started},
      {A::serve, S::running},
      {A::serve, S::running},
      {A::reject, S::idle},
      {A::reject, S::idle},
      {A::begin_stop, S::stopping},
      {A::reject, S::idle},
      {A::reject, S::idle}}},
    // started: run() waits for the threads of the server's own loops, and runs the user's loop
    {{{A::none, S::started},
      {A::wait, S::started},
      {A::serve, S::running},
      {A::none, S::idle},
      {A::reject, S::started},
      {A::begin_stop, S::stopping},
      {A::reject, S::started},
      {A::reject, S::started}}},
    // running: a run that ends with an exception of the user's loop leaves a server that may be run again
    {{{A::none, S::running},
      {A::refuse_running, S::running},
      {A::refuse_running, S::running},
      {A::none, S::idle},
      {A::none, S::started},
      {A::begin_stop, S::stopping},
      {A::reject, S::running},
      {A::reject, S::running}}},
    // stopping
    {{{A::refuse_stopped, S::stopping},
      {A::refuse_stopped, S::stopping},
      {A::refuse_stopped, S::stopping},
      {A::none, S::stopping},
      {A::none, S::stopping},
      {A::none, S::stopping},
      {A::clean_up, S::cleaning_up},
      {A::reject, S::stopping}}},
    // cleaning_up
    {{{A::refuse_stopped, S::cleaning_up},
      {A::refuse_stopped, S::cleaning_up},
      {A::refuse_stopped, S::cleaning_up},
      {A::none, S::cleaning_up},
      {A::none, S::cleaning_up},
      {A::none, S::cleaning_up},
      {A::wait, S::cleaning_up},
      {A::none, S::stopped}}},
    // stopped
    {{{A::refuse_stopped, S::stopped},
      {A::refuse_stopped, S::stopped},
      {A::refuse_stopped, S::stopped},
      {A::none, S::stopped},
      {A::none, S::stopped},
      {A::none, S::stopped},
      {A::none, S::stopped},
      {A::reject, S::stopped}}},
}};

}  // namespace

ServerTransition transition(ServerStage stage, ServerEvent event) noexcept {
  return table[static_cast<std::size_t>(stage)][static_cast<std::size_t>(event)];
}

ServerAction ServerLifecycle::apply(ServerEvent event, std::size_t runners) {
  std::lock_guard lock(mutex_);
  const ServerTransition next = transition(stage_, event);
  stage_ = next.next;
  if (next.action == A::start_threads || next.action == A::serve) runners_ += runners;
  if (next.action == A::begin_stop) stop_thread_ = std::this_thread::get_id();
  changed_.notify_all();
  return next.action;
}

void ServerLifecycle::remove_runners(std::size_t count) {
  std::lock_guard lock(mutex_);
  runners_ -= count;
  changed_.notify_all();
}

void ServerLifecycle::stop_begun() {
  std::lock_guard lock(mutex_);
  stop_thread_ = {};
  changed_.notify_all();
}

ServerStage ServerLifecycle::stage() const {
  std::lock_guard lock(mutex_);
  return stage_;
}

std::size_t ServerLifecycle::runners() const {
  std::lock_guard lock(mutex_);
  return runners_;
}

bool ServerLifecycle::begins_stop_here() const {
  std::lock_guard lock(mutex_);
  return stop_thread_ == std::this_thread::get_id();
}

void ServerLifecycle::wait_for_runners() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return runners_ == 0 && stop_thread_ == std::thread::id(); });
}

void ServerLifecycle::wait_for_end() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return runners_ == 0 || stage_ == S::stopped; });
}

void ServerLifecycle::wait_until_stopped() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stage_ == S::stopped; });
}

void ServerLifecycle::wait_until_stopping() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stage_ >= S::stopping; });
}

bool ServerLifecycle::wait_for(const std::function<bool()>& is_done, bool needs_runner) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_done() || stage_ >= S::stopping || (needs_runner && runners_ == 0); });
  return is_done();
}

void ServerLifecycle::update(const std::function<void()>& change) {
  std::lock_guard lock(mutex_);
  change();
  changed_.notify_all();
}

}  // namespace trunkline::server
