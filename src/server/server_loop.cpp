// SPDX-License-Identifier: MIT
// Connections, methods, calls and leaving of one loop.
#include "server/server_loop.h"

#include "server/server_connection.h"
#include "session/native_session.h"
#include "wire/detector.h"

#include <string>
#include <utility>

namespace trunkline::server {

namespace {

constexpr std::size_t max_free_calls = 1024;

}  // namespace

ServerLoop::ServerLoop(std::shared_ptr<Environment> environment, net::Loop& loop)
    : environment_(std::move(environment)), loop_(loop), native_([this](session::SessionOwner& owner) {
        return session::make_native_session(session::Role::server, environment_->session_options, loop_.timers(), owner,
                                            loop_.now());
      }) {}

ServerLoop::~ServerLoop() {
  // Calls of coroutines that were destroyed with their loop, suspended.
  while (used_calls_ != nullptr) {
    const std::unique_ptr<ServerCall> call(std::exchange(used_calls_, used_calls_->next));
  }
}

void ServerLoop::expect_no_more() noexcept {
  std::size_t expected = expected_.load(std::memory_order_relaxed);
  while (expected > 0 && !expected_.compare_exchange_weak(expected, expected - 1, std::memory_order_relaxed)) {
  }
}

void ServerLoop::accept(std::unique_ptr<net::Transport> transport) {
  expect_no_more();
  const std::size_t limit = environment_->options.max_connections;
  if (closed_) return transport->close();
  if (environment_->connections.fetch_add(1, std::memory_order_relaxed) >= limit) {
    environment_->connections.fetch_sub(1, std::memory_order_relaxed);
    refuse(LogLevel::warning, "the server's connections have reached max_connections " + std::to_string(limit),
           transport->peer().address);
    return transport->close();
  }
  load_.fetch_add(1, std::memory_order_relaxed);
  counters_.connections_accepted.add();
  // The reader is the loop's: it may outlive the server.
  net::FirstBytes::read(std::move(transport), environment_->options.limits.handshake_timeout,
                        [weak = weak_from_this()](Result<net::Beginning> beginning) {
                          if (const std::shared_ptr<ServerLoop> self = weak.lock()) self->begin(std::move(beginning));
                        });
}

void ServerLoop::begin(Result<net::Beginning> beginning) {
  if (closed_) return release_slot();
  if (!beginning.is_ok()) {
    release_slot();
    return refuse(LogLevel::info, beginning.status().message(), {});
  }
  if (beginning->protocol == wire::Protocol::native) {
    return serve(std::move(beginning->transport), native_, beginning->bytes);
  }
  net::Transport& transport = *beginning->transport;
  const ByteSpan answer = as_bytes(wire::answer_to(beginning->protocol));
  // It fits into an empty socket buffer, or is not worth waiting for.
  if (!answer.empty()) static_cast<void>(transport.write({&answer, 1}));
  transport.shutdown_send();
  release_slot();
  refuse(LogLevel::warning,
         "the client speaks " + std::string(wire::to_string(beginning->protocol)) + ", this port only trunkline",
         transport.peer().address);
}

void ServerLoop::serve(std::unique_ptr<net::Transport> transport, const net::Connection::SessionFactory& factory,
                       ByteSpan first_bytes) {
  auto connection = std::make_shared<ServerConnection>(shared_from_this());
  connections_.emplace(connection.get(), connection);
  counters_.connections.add();
  connection->start(std::move(transport), factory, first_bytes);
  // A goaway tells the client that what it has sent already will not run.
  if (draining_) connection->drain();
}

void ServerLoop::refuse(LogLevel level, std::string_view reason, std::string_view peer) {
  counters_.connections_refused.add();
  environment_->log(level, "accept connection: " + std::string(reason), {}, peer);
}

void ServerLoop::release_slot() noexcept {
  load_.fetch_sub(1, std::memory_order_relaxed);
  environment_->connections.fetch_sub(1, std::memory_order_relaxed);
}

void ServerLoop::remove(ServerConnection& connection) {
  const auto node = connections_.extract(&connection);
  if (node.empty()) return;
  counters_.connections.add(-1);
  release_slot();
  finish_drain_if_empty();
}

std::vector<std::shared_ptr<ServerConnection>> ServerLoop::all_connections() const {
  std::vector<std::shared_ptr<ServerConnection>> all;
  all.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) all.push_back(connection);
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
  if (!drained_ || !connections_.empty()) return;
  drain_timer_.cancel();
  std::exchange(drained_, nullptr)(cut_off_);
}

}  // namespace trunkline::server
