// SPDX-License-Identifier: MIT
// ServerCore: a server's loops, listeners and life, from listening to stopped.
#pragma once

#include "net/listener.h"
#include "net/loop.h"
#include "server/environment.h"
#include "server/loop_tally.h"
#include "server/server_loop.h"

#include <trunkline/endpoint.h>
#include <trunkline/server_options.h>
#include <trunkline/server_statistics.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace trunkline::server {

/// Thread-safe, except that with a loop of the user's listen(), stop(), reload_tls() and destruction are for that
/// loop's thread, for blocking handlers, or for any while it does not run. Owned by a shared pointer.
class ServerCore : public std::enable_shared_from_this<ServerCore> {
 public:
  /// Throws std::invalid_argument.
  explicit ServerCore(ServerOptions options);
  ServerCore(net::Loop& loop, ServerOptions options);
  ~ServerCore();
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;

  MethodRegistry& methods() noexcept { return environment_->methods; }
  /// Also asks the loops to let go of the handler.
  bool remove_method(std::string_view name);
  Result<Endpoint> listen(std::string_view uri);
  std::vector<Endpoint> endpoints() const;
  Status reload_tls();
  /// Serves a transport that someone else has made, on the loop it belongs to. On that loop's thread, or while it does
  /// not run.
  void accept_transport(std::unique_ptr<net::Transport> transport);

  Status start();
  Status run();
  /// `done` may be null; else as in Server.
  void async_shutdown(std::chrono::nanoseconds timeout, std::function<void(Status)> done);
  Status shutdown(std::chrono::nanoseconds timeout);
  void on_shutdown(std::function<void()> callback);
  void stop();
  ServerStats stats() const;
  void collect_statistics();
  ServerStatistics statistics() const;

 private:
  enum class State : std::uint8_t { idle, running, stopping, stopped };
  struct Drain;

  bool owns_loops() const noexcept { return user_loop_ == nullptr; }
  bool is_own_thread() const noexcept;
  /// A blocking handler's thread, which must leave listeners and connections to the user's.
  bool is_worker_of_users_loop() const noexcept { return !owns_loops() && environment_->workers.is_worker(); }
  /// With the mutex.
  bool is_leaving() const noexcept { return state_ == State::stopping || state_ == State::stopped; }
  /// A task for a loop: not run once the server is gone, which a user's loop may outlive.
  std::function<void()> while_alive(std::function<void()> task);
  /// Runs `task` on the first loop and waits for it, or on this thread if that loop does not run.
  Status on_first_loop(const std::function<Status()>& task);
  Result<Endpoint> open_listener(const Endpoint& endpoint);
  /// The loop with the least to do, and a place there.
  net::Placement place_connection(const std::string& peer);
  ServerLoop& loop_of(const net::Transport& transport) const;
  /// Threads for the loops from `first` on, or none. Counts them as runners. The lock is released only on an error.
  Status start_threads(std::size_t first, std::unique_lock<std::mutex>& lock);
  void run_loop(std::size_t index);
  /// From another thread, with the user's loop running: begins to stop there, and waits for that.
  void stop_on_users_loop();
  void begin_stop();
  void leave_loop(std::size_t index, bool stop_loop);
  void finish_stop();
  void close_listeners();
  /// They take what has come, and no more. The loops have `turns` for that, 0 if nobody runs them.
  void retire_listeners(int turns);
  void begin_drain(std::chrono::nanoseconds timeout);
  void loop_drained(std::size_t cut_off);
  void end_drain_early();

  const std::shared_ptr<Environment> environment_;
  net::Loop* const user_loop_;
  std::vector<std::unique_ptr<net::Loop>> own_loops_;
  std::vector<std::shared_ptr<ServerLoop>> loops_;
  std::vector<std::unique_ptr<net::Listener>> listeners_;  // the first loop's

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  State state_ = State::idle;
  bool is_run_ = false;      // run() serves the first loop
  std::size_t runners_ = 0;  // threads inside a loop of ours
  std::vector<std::thread> threads_;
  std::vector<Endpoint> endpoints_;
  std::shared_ptr<Drain> drain_;
  std::vector<std::function<void()>> on_shutdown_;
  std::vector<std::shared_ptr<LoopTally>> tallies_;  // by loop; none while statistics are not collected
  base::TimePoint counting_since_{};
};

}  // namespace trunkline::server
