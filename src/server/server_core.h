// SPDX-License-Identifier: MIT
// ServerCore: one server, composed of its state, loops, listeners, lifecycle, drain and statistics.
#pragma once

#include "net/listener.h"
#include "net/loop.h"
#include "net/transport.h"
#include "server/announcements.h"
#include "server/loop_threads.h"
#include "server/method_registry.h"
#include "server/server_drain.h"
#include "server/server_lifecycle.h"
#include "server/server_listeners.h"
#include "server/server_loops.h"
#include "server/server_state.h"
#include "server/statistics_collector.h"

#include <trunkline/endpoint.h>
#include <trunkline/server_options.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::server {

/// A thread-safe server, owned by a shared pointer. On the user's loop, however, listen(), stop(), reload_tls() and
/// destruction are for that loop's thread, for blocking handlers, or for any thread while the loop does not run.
class ServerCore : public std::enable_shared_from_this<ServerCore> {
 public:
  /// Throws std::invalid_argument for an option out of its range.
  explicit ServerCore(ServerOptions options,
                      session::ProtocolTable protocols = session::ProtocolTable::with_defaults());
  ServerCore(net::Loop& users_loop, ServerOptions options,
             session::ProtocolTable protocols = session::ProtocolTable::with_defaults());
  ~ServerCore();
  ServerCore(const ServerCore&) = delete;
  ServerCore& operator=(const ServerCore&) = delete;

  MethodRegistry& methods() noexcept { return server_state_->methods; }
  std::vector<Endpoint> endpoints() const { return listeners_.endpoints(); }

  /// Removes the method and has the loops release its handler.
  bool remove_method(std::string_view name);
  /// Listens. An endpoint with `is_private` serves private methods too, and is not among endpoints().
  Result<Endpoint> listen(std::string_view uri, bool is_private = false);
  Status reload_tls();
  using MakeAnnouncement = std::function<std::unique_ptr<Announcement>(net::Loop& loop)>;
  /// Starts the announcement that `make` returns, on the first loop. Error: failed_precondition if the server shuts
  /// down or has been stopped.
  Status announce(MakeAnnouncement make);
  /// Writes to the log of the server.
  void log(LogLevel level, std::string_view message) const noexcept { server_state_->log(level, message, {}, {}); }
  /// Serves a transport that somebody else has made, on the loop to which it belongs. Must be called on that loop's
  /// thread, or while the loop does not run.
  void accept_transport(std::unique_ptr<net::Transport> transport);

  Status start();
  Status run();
  /// Begins a shutdown. `done` may be null; otherwise it is called as Server::async_shutdown() says.
  void async_shutdown(std::chrono::nanoseconds timeout, std::function<void(Status)> done);
  Status shutdown(std::chrono::nanoseconds timeout);
  void on_shutdown(std::function<void()> callback) { drain_.on_shutdown(std::move(callback)); }
  void stop();

  ServerTotals totals() const { return statistics_.totals(); }
  void collect_statistics() { statistics_.start(); }
  ServerStatistics statistics() const { return statistics_.statistics(); }

 private:
  class RunnerScope;
  struct TaskOutcome;

  /// Returns true on a thread for which stop() would wait.
  bool is_own_thread() const noexcept {
    return loops_.is_current() || server_state_->workers.is_worker() || lifecycle_.begins_stop_here();
  }
  /// Returns true on the thread of a blocking handler that must leave listeners and connections to the user's loop.
  bool is_worker_of_users_loop() const noexcept { return !loops_.are_own() && server_state_->workers.is_worker(); }
  /// Returns a task for a loop that does nothing once the server is gone: the user's loop may outlive the server.
  std::function<void()> while_alive(std::function<void()> task);
  /// Runs `task` on the first loop and waits for it; runs it on this thread if nothing runs that loop.
  Status on_first_loop(const std::function<Status()>& task);

  Result<Endpoint> open_listener(const Endpoint& endpoint, bool is_private);
  net::LoopAssignment assign_loop(ServerLoop& loop, const std::string& peer);

  Status start_threads(std::size_t first);
  void run_loop(std::size_t index);

  void begin_stop();
  void leave_loop(std::size_t index, bool stop_loop);
  void finish_stop();
  /// Has the user's loop begin to stop, from another thread while the user runs it, and waits for the beginning.
  void stop_on_users_loop();
  /// Withdraws the announcements, and then drains the loops.
  void begin_drain(std::chrono::nanoseconds timeout);
  void hasten_drain(std::chrono::nanoseconds timeout);
  void drain_loops(std::chrono::nanoseconds timeout, bool are_run);
  /// Closes the listeners to new connections. The loops get `turns` turns to begin with the last ones; 0 if nothing
  /// runs the loops.
  void retire_listeners(int turns);

  const std::shared_ptr<ServerState> server_state_;
  ServerLoops loops_;
  ServerListeners listeners_;
  LoopThreads threads_;
  ServerLifecycle lifecycle_;
  ServerDrain drain_;
  Announcements announcements_{loops_.first().net_loop()};
  StatisticsCollector statistics_{*server_state_, loops_};
};

}  // namespace trunkline::server
