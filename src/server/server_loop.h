// SPDX-License-Identifier: MIT
// ServerLoop: what a server has on one event loop - connections, calls, looked-up methods, counters.
#pragma once

#include "call/stream_host.h"
#include "net/connection.h"
#include "net/first_bytes.h"
#include "net/listener.h"
#include "net/loop.h"
#include "net/transport.h"
#include "server/call_meter.h"
#include "server/counters.h"
#include "server/environment.h"
#include "server/loop_method.h"
#include "server/loop_tally.h"
#include "server/server_call.h"

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace trunkline::server {

class ServerConnection;

/// All functions are for the loop's thread, except load(), counters(), count_exception() and those that are constant.
/// Kept alive by the server and by what runs.
class ServerLoop final : public call::StreamHost, public std::enable_shared_from_this<ServerLoop> {
 public:
  ServerLoop(std::shared_ptr<Environment> environment, net::Loop& loop);
  ~ServerLoop() override;
  ServerLoop(const ServerLoop&) = delete;
  ServerLoop& operator=(const ServerLoop&) = delete;

  net::Loop& net_loop() const noexcept { return loop_; }
  Environment& environment() const noexcept { return *environment_; }
  Counters& counters() noexcept { return counters_; }
  const Counters& counters() const noexcept { return counters_; }
  /// A codec's or compressor's. Any thread.
  void count_exception();
  /// Connections given to this loop and not yet gone, or on their way to it.
  std::size_t load() const noexcept { return load_->load(std::memory_order_relaxed); }
  /// For one more connection of this loop; null if there are max_connections. Any thread.
  net::Place take_place();
  /// There was no place for `peer`.
  void turn_away(std::string_view peer);

  /// Takes a connection on that has its place, unless the loop is leaving.
  void accept(net::Arrival arrival);
  /// Serves it by the session that `factory` makes.
  void serve(net::Arrival arrival, const net::Connection::SessionFactory& factory, ByteSpan first_bytes);
  /// Called by the connection when it is closed.
  void remove(ServerConnection& connection);
  std::size_t connections() const noexcept { return connections_.size(); }

  /// Methods do not change between the outermost begin_batch() and its end_batch().
  void begin_batch() {
    if (batch_depth_ == 0 && environment_->methods.version() != methods_version_) refresh_methods();
    ++batch_depth_;
  }
  void end_batch() noexcept { --batch_depth_; }
  std::uint64_t methods_version() const noexcept { return methods_version_; }
  /// Null if there is no such method. Valid until the batch's end.
  LoopMethod* find_method(std::string_view name);
  /// Outside batches: drops what is kept for methods that have been removed.
  void let_go_of_methods();

  /// Collects statistics from now on.
  void count_in(std::shared_ptr<LoopTally> tally);
  /// For a call that has come; off while no statistics are collected.
  CallMeter meter(LoopMethod& method) { return tally_ == nullptr ? CallMeter() : start_meter(method); }
  /// Of a call that is not looked into.
  void count_refusal(LoopMethod& method, StatusCode code) {
    if (tally_ != nullptr) count_refusal_in(method, code);
  }

  ServerCall& take_call();
  void give_back(ServerCall& call);

  bool is_on_loop() const noexcept override { return loop_.is_current(); }
  void post(std::function<void()> task) override { loop_.post(std::move(task)); }
  call::CompletionQueue& completions() noexcept override { return completions_; }

  /// Lets open calls finish and closes each connection after its last one. Ends with `done(calls cut off)` when all are
  /// closed, after expect_last(); at `deadline` what is left is closed.
  void drain(base::TimePoint deadline, std::function<void(std::size_t)> done);
  /// No further connections are sent here: those on their way have come after `turns`. Any thread; with 0 the loop's,
  /// or its owner's while nothing runs it.
  void expect_last(int turns);
  /// Closes all connections with `reason`; no further ones are served. Returns how many calls were cut off, a
  /// connection with nothing but unsent output counting as one.
  std::size_t close_all(const Status& reason);
  /// After the loop has been run for the last time by the server: lets go of all connections and of calls whose
  /// handlers do not run.
  void abandon();

 private:
  struct Served {
    std::shared_ptr<ServerConnection> connection;
    net::Place place;
  };

  /// Serves the native protocol; answers others in their own language, as far as that is a line or two. `arrival` has
  /// given its transport to what has begun.
  void begin(Result<net::Beginning> beginning, net::Arrival arrival);
  void refuse(LogLevel level, std::string_view reason, std::string_view peer);
  std::vector<std::shared_ptr<ServerConnection>> all_connections() const;
  void refresh_methods();
  MethodTally& tally_of(LoopMethod& method);
  CallMeter start_meter(LoopMethod& method);
  void count_refusal_in(LoopMethod& method, StatusCode code);
  void finish_drain_if_empty();
  static void on_drain_timeout(base::Timer& timer, void* owner, base::TimePoint now);

  const std::shared_ptr<Environment> environment_;
  net::Loop& loop_;
  Counters counters_;
  const std::shared_ptr<std::atomic<std::size_t>> load_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::unordered_map<ServerConnection*, Served> connections_;

  std::uint64_t methods_version_ = 0;
  MethodRegistry::Snapshot snapshot_;
  std::unordered_map<const Method*, std::shared_ptr<LoopMethod>> methods_;
  int batch_depth_ = 0;
  std::shared_ptr<LoopTally> tally_;

  std::vector<std::unique_ptr<ServerCall>> free_calls_;
  ServerCall* used_calls_ = nullptr;

  net::Deferred run_completions_{[](void* owner) {
                                   // The last completion may let go of the last connection.
                                   const auto self = static_cast<ServerLoop*>(owner)->shared_from_this();
                                   self->completions_.run();
                                 },
                                 this};
  call::CompletionQueue completions_{[](void* self) {
                                       auto& loop = *static_cast<ServerLoop*>(self);
                                       loop.loop_.defer(loop.run_completions_);
                                     },
                                     this};

  bool draining_ = false;  // served, but only to be told to go elsewhere
  bool has_all_ = false;   // no further ones come
  bool closed_ = false;    // not served at all
  base::Timer drain_timer_{on_drain_timeout, this};
  std::function<void(std::size_t)> drained_;
  std::size_t cut_off_ = 0;
};

}  // namespace trunkline::server
