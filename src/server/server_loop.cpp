// SPDX-License-Identifier: MIT
// Connections, methods, calls and leaving of one loop.
#include "server/server_loop.h"

#include "net/parting.h"
#include "server/server_connection.h"
#include "session/native_session.h"
#include "wire/detector.h"

#include <string>
#include <utility>

namespace trunkline::server {

namespace {

constexpr std::size_t max_free_calls = 1024;

/// Counts for the server and for the loop as long as it lives.
class CountedPlace {
 public:
  using Count = std::shared_ptr<std::atomic<std::size_t>>;

  /// The server's count is taken already.
  CountedPlace(Count server, Count loop) : server_(std::move(server)), loop_(std::move(loop)) {
    loop_->fetch_add(1, std::memory_order_relaxed);
  }
  ~CountedPlace() {
    loop_->fetch_sub(1, std::memory_order_relaxed);
    server_->fetch_sub(1, std::memory_order_relaxed);
  }
  CountedPlace(const CountedPlace&) = delete;
  CountedPlace& operator=(const CountedPlace&) = delete;

 private:
  const Count server_;
  const Count loop_;
};

}  // namespace

ServerLoop::ServerLoop(std::shared_ptr<Environment> environment, net::Loop& loop)
    : environment_(std::move(environment)), loop_(loop) {}

ServerLoop::~ServerLoop() {
  // Calls of coroutines that were destroyed with their loop, suspended.
  while (used_calls_ != nullptr) {
    const std::unique_ptr<ServerCall> call(std::exchange(used_calls_, used_calls_->next));
  }
}

net::Place ServerLoop::take_place() {
  std::atomic<std::size_t>& taken = *environment_->connections;
  if (taken.fetch_add(1, std::memory_order_relaxed) < environment_->options.max_connections) {
    return std::make_shared<const CountedPlace>(environment_->connections, load_);
  }
  taken.fetch_sub(1, std::memory_order_relaxed);
  return nullptr;
}

void ServerLoop::turn_away(std::string_view peer) {
  refuse(
      LogLevel::warning,
      "the server's connections have reached max_connections " + std::to_string(environment_->options.max_connections),
      peer);
}

void ServerLoop::accept(net::Arrival arrival) {
  if (closed_) return arrival.transport->close();
  counters_.connections_accepted.add();
  const base::TimePoint since = arrival.since;
  // The reader is the loop's: it may outlive the server.
  net::FirstBytes::read(
      std::move(arrival.transport), environment_->options.limits.handshake_timeout, since,
      [weak = weak_from_this(), place = std::move(arrival.place), since](Result<net::Beginning> beginning) mutable {
        if (const std::shared_ptr<ServerLoop> self = weak.lock())
          self->begin(std::move(beginning), {.transport = nullptr, .place = std::move(place), .since = since});
      });
}

void ServerLoop::begin(Result<net::Beginning> beginning, net::Arrival arrival) {
  if (closed_) return;
  if (!beginning.is_ok()) return refuse(LogLevel::info, beginning.status().message(), {});
  arrival.transport = std::move(beginning->transport);
  if (beginning->protocol == wire::Protocol::native) {
    const auto factory = [this, since = arrival.since](session::SessionOwner& owner) {
      return session::make_native_session(session::Role::server, environment_->session_options, loop_.timers(), owner,
                                          loop_.now(), since);
    };
    return serve(std::move(arrival), factory, beginning->bytes);
  }
  refuse(LogLevel::warning,
         "the client speaks " + std::string(wire::to_string(beginning->protocol)) + ", this port only trunkline",
         arrival.transport->peer().address);
  const std::string_view answer = wire::answer_to(beginning->protocol);
  if (!answer.empty()) net::Parting::begin(std::move(arrival.transport), answer, std::move(arrival.place));
}

void ServerLoop::serve(net::Arrival arrival, const net::Connection::SessionFactory& factory, ByteSpan first_bytes) {
  auto connection = std::make_shared<ServerConnection>(shared_from_this());
  connections_.emplace(connection.get(), Served{connection, std::move(arrival.place)});
  counters_.connections.add();
  connection->start(std::move(arrival.transport), factory, first_bytes);
  // A goaway tells the client that what it has sent already will not run.
  if (draining_) connection->drain();
}

void ServerLoop::refuse(LogLevel level, std::string_view reason, std::string_view peer) {
  counters_.connections_refused.add();
  environment_->log(level, "accept connection: " + std::string(reason), {}, peer);
}

void ServerLoop::remove(ServerConnection& connection) {
  auto node = connections_.extract(&connection);
  if (node.empty()) return;
  counters_.connections.add(-1);
  node.mapped().place.reset();
  finish_drain_if_empty();
}

std::vector<std::shared_ptr<ServerConnection>> ServerLoop::all_connections() const {
  std::vector<std::shared_ptr<ServerConnection>> all;
  all.reserve(connections_.size());
  for (const auto& [key, served] : connections_) all.push_back(served.connection);
  return all;
}

LoopMethod* ServerLoop::find_method(std::string_view name) {
  const auto found = snapshot_->find(name);
  if (found == snapshot_->end()) return nullptr;
  std::shared_ptr<LoopMethod>& method = methods_[found->second.get()];
  if (method == nullptr) method = std::make_shared<LoopMethod>(found->second, environment_->options.codecs);
  return method.get();
}

void ServerLoop::let_go_of_methods() {
  // Within a batch the next one does it.
  if (batch_depth_ == 0 && environment_->methods.version() != methods_version_) refresh_methods();
}

void ServerLoop::refresh_methods() {
  methods_version_ = environment_->methods.version();
  snapshot_ = environment_->methods.snapshot();
  std::unordered_map<const Method*, std::shared_ptr<LoopMethod>> kept;
  for (const auto& [name, method] : *snapshot_) {
    const auto found = methods_.find(method.get());
    if (found != methods_.end()) kept.insert(std::move(*found));
  }
  methods_.swap(kept);
  if (tally_ != nullptr) tally_->keep_only(*snapshot_);
}

void ServerLoop::count_in(std::shared_ptr<LoopTally> tally) {
  if (closed_) return;
  tally_ = std::move(tally);
  tally_->start();
}

MethodTally& ServerLoop::tally_of(LoopMethod& method) {
  if (method.tally == nullptr) method.tally = tally_->tally_of(method.method().name);
  return *method.tally;
}

CallMeter ServerLoop::start_meter(LoopMethod& method) { return {tally_of(method), loop_.now()}; }

void ServerLoop::count_refusal_in(LoopMethod& method, StatusCode code) {
  MethodTally& tally = tally_of(method);
  tally.started.add();
  tally.finish(code);
}

void ServerLoop::count_exception() {
  if (is_on_loop()) return counters_.handler_exceptions.add();
  post([self = shared_from_this()] { self->counters_.handler_exceptions.add(); });
}

ServerCall& ServerLoop::take_call() {
  std::unique_ptr<ServerCall> call;
  if (free_calls_.empty()) {
    call = std::make_unique<ServerCall>();
  } else {
    call = std::move(free_calls_.back());
    free_calls_.pop_back();
  }
  call->previous = nullptr;
  call->next = used_calls_;
  if (used_calls_ != nullptr) used_calls_->previous = call.get();
  used_calls_ = call.get();
  return *call.release();
}

void ServerLoop::give_back(ServerCall& call) {
  const std::shared_ptr<ServerLoop> keep = shared_from_this();
  (call.previous != nullptr ? call.previous->next : used_calls_) = call.next;
  if (call.next != nullptr) call.next->previous = call.previous;
  std::unique_ptr<ServerCall> owned(&call);
  call.reset();
  if (free_calls_.size() < max_free_calls || owned->cancelling > 0) free_calls_.push_back(std::move(owned));
}

void ServerLoop::drain(base::TimePoint deadline, std::function<void(std::size_t)> done) {
  const std::shared_ptr<ServerLoop> keep = shared_from_this();
  draining_ = true;
  drained_ = std::move(done);
  if (deadline != base::never) loop_.timers().schedule(drain_timer_, deadline);
  for (const auto& connection : all_connections()) connection->drain();
  finish_drain_if_empty();
}

void ServerLoop::expect_last(int turns) {
  if (turns > 0) {
    // Each is queued behind a look at the sockets.
    return loop_.post([weak = weak_from_this(), turns] {
      if (const std::shared_ptr<ServerLoop> self = weak.lock()) self->expect_last(turns - 1);
    });
  }
  const std::shared_ptr<ServerLoop> keep = shared_from_this();
  has_all_ = true;
  finish_drain_if_empty();
}

void ServerLoop::on_drain_timeout(base::Timer&, void* owner, base::TimePoint) {
  auto& loop = *static_cast<ServerLoop*>(owner);
  loop.cut_off_ += loop.close_all(Status(StatusCode::unavailable, "server shutdown: its timeout has passed"));
}

std::size_t ServerLoop::close_all(const Status& reason) {
  closed_ = true;
  std::size_t open = 0;
  for (const auto& connection : all_connections()) {
    open += connection->unfinished();
    connection->close(reason);
  }
  return open;
}

void ServerLoop::abandon() {
  const std::shared_ptr<ServerLoop> keep = shared_from_this();
  closed_ = true;
  if (tally_ != nullptr) tally_->stop();
  drain_timer_.cancel();
  drained_ = nullptr;
  for (const auto& connection : all_connections()) {
    connection->detach();
    remove(*connection);
  }
  std::vector<ServerCall*> idle;
  std::vector<ServerCall*> running;
  for (ServerCall* call = used_calls_; call != nullptr; call = call->next) {
    if (call->is_open) counters_.calls_cancelled.add();
    call->is_open = false;
    (call->stage == CallStage::running ? running : idle).push_back(call);
  }
  for (ServerCall* call : running) {
    if (call->stream != nullptr) call->stream->on_cancelled(Status());
    call->cancel();
  }
  for (ServerCall* call : idle) call->connection->abandon(*call);
}

void ServerLoop::finish_drain_if_empty() {
  if (!drained_ || !has_all_ || !connections_.empty()) return;
  drain_timer_.cancel();
  std::exchange(drained_, nullptr)(cut_off_);
}

}  // namespace trunkline::server
