// SPDX-License-Identifier: MIT
// How a channel is put together, and what its connections tell it.
#include "client/channel_core.h"

#include "base/exception_text.h"
#include "client/client_stream_core.h"
#include "client/options_check.h"

#include <unistd.h>

#include <utility>

namespace trunkline::client {

namespace {

session::SessionOptions session_options_of(const ChannelOptions& options) {
  session::SessionOptions result;
  result.limits = options.limits;
  result.ordered = options.ordered;
  result.codecs = &options.codecs;
  result.compressors = &options.compressors;
  result.compression_threshold = options.compression_threshold;
  return result;
}

ChannelOptions checked(ChannelOptions options) {
  check_options(options);
  return options;
}

constexpr int most_ended_at_once = 1024;

}  // namespace

std::shared_ptr<ChannelCore> ChannelCore::make(net::Loop& loop, ChannelOptions options,
                                               const MakeConnector& connector) {
  return std::make_shared<ChannelCore>(nullptr, loop, std::move(options), connector);
}

std::shared_ptr<ChannelCore> ChannelCore::make(std::unique_ptr<net::Loop> own_loop, ChannelOptions options,
                                               const MakeConnector& connector) {
  net::Loop& loop = *own_loop;
  return std::make_shared<ChannelCore>(std::move(own_loop), loop, std::move(options), connector);
}

ChannelCore::ChannelCore(std::unique_ptr<net::Loop> own_loop, net::Loop& loop, ChannelOptions options,
                         const MakeConnector& connector)
    : process_(::getpid()),
      own_loop_(std::move(own_loop)),
      loop_(loop),
      options_(checked(std::move(options))),
      session_options_(session_options_of(options_)),
      interceptors_(options_.interceptors),
      default_compressor_(options_.compressors.find(options_.compressor)),
      all_direct_(interceptors_.empty()),
      repeats_(options_.max_retries > 0 && !options_.ordered),
      driver_(
          loop_, own_loop_ != nullptr,
          {.work_left = [this]() -> std::shared_ptr<void> { return has_work_left() ? shared_from_this() : nullptr; },
           .on_exception = [this] { log_exception(); },
           .on_over = [this] { loop_.clear(); }}),
      repeat_backoff_(options_.backoff),
      pending_(loop_.timers(), options_.max_pending_calls, [this] { return waiting_for(); }),
      run_completions_([](void* self) { static_cast<ChannelCore*>(self)->run_completions(); }, this),
      completions_(
          [](void* self) {
            auto& core = *static_cast<ChannelCore*>(self);
            core.loop_.follow_up(core.run_completions_);
          },
          this),
      detached_completions_([](void*) {}, nullptr),
      pool_(std::make_unique<ConnectionPool>(*this, connector(loop_))) {}

ChannelCore::~ChannelCore() = default;

bool ChannelCore::is_of_this_process() const noexcept { return process_ == ::getpid(); }

bool ChannelCore::has_work_left() const noexcept {
  if (!driver_.needs_thread()) return false;
  if (ended_ != nullptr || !completions_.empty()) return true;
  if (closed_.load(std::memory_order_relaxed)) return false;
  return !pending_.empty() || first_repeating_ != nullptr || pool_->has_work_left();
}

/// With the exception as the current one.
void ChannelCore::log_exception() const noexcept {
  if (!options_.log) return;
  try {
    const std::string text = "run loop: a handler has thrown: " + base::current_exception_text();
    options_.log({.level = LogLevel::error, .message = text, .method = {}, .peer = {}});
  } catch (...) {  // a log that throws has nobody to tell
  }
}

// --- completions ---

void ChannelCore::end_soon(CallOperation& operation) {
  if (operation.cancel_number != 0) cancellable_.erase(operation.cancel_number);
  operation.next_ = nullptr;
  (ended_ == nullptr ? ended_ : last_ended_->next_) = &operation;
  last_ended_ = &operation;
  if (!detached_) loop_.follow_up(run_completions_);
}

void ChannelCore::run_completions() {
  const std::shared_ptr<ChannelCore> keep = shared_from_this();
  for (int count = 0; ended_ != nullptr; ++count) {
    // Also in case the completion blocks in a nested run of the loop, or throws.
    if ((ended_->next_ != nullptr || !completions_.empty()) && !detached_) loop_.defer(run_completions_);
    if (count == most_ended_at_once) break;
    end(*std::exchange(ended_, ended_->next_));
  }
  completions_.run();
}

// --- what the connections tell ---

void ChannelCore::pump() {
  while (!pending_.empty()) {
    ClientConnection* const connection = pool_->pick();
    if (connection == nullptr) break;
    Attempt& attempt = pending_.pop();
    Status status = attempt.start_on(*connection);
    if (!status.is_ok()) attempt.fail(about_call(*attempt.method, status));
  }
  connect_if_wanted();
}

void ChannelCore::connect_if_wanted() {
  if (wants_connection()) pool_->connect();
  refresh_state();
}

void ChannelCore::connection_opened() {
  pool_->opened();
  refresh_state();
  release_waiters();
  pump();
}

void ChannelCore::connection_leaves(ClientConnection& connection) {
  pool_->leaves(connection);
  connect_if_wanted();
}

void ChannelCore::connection_closed(ClientConnection& connection, const Status& reason) {
  pool_->closed(connection, reason);
  refresh_state();
  release_waiters();
}

void ChannelCore::connecting_failed(const Status& error) {
  Status status = error;
  if (status.code() == StatusCode::deadline_exceeded) {
    status = Status(StatusCode::unavailable, error.message(), StatusOrigin::transport);
  }
  status.set_may_have_run(false);
  refresh_state();
  pending_.fail_impatient(status);
}

void ChannelCore::refresh_state() {
  ChannelState state = ChannelState::idle;
  if (closed_.load(std::memory_order_relaxed)) {
    state = ChannelState::closed;
  } else if (pool_->is_ready()) {
    state = ChannelState::ready;
  } else if (pool_->is_failing()) {
    state = ChannelState::failing;
  } else if (pool_->is_connecting()) {
    state = ChannelState::connecting;
  }
  state_.store(state, std::memory_order_relaxed);
}

/// For the text of a call that has waited too long.
std::string ChannelCore::waiting_for() const {
  const bool is_full = pool_->is_ready();
  std::string text = (is_full ? "room on the connection to " : "a connection to ") + pool_->target();
  if (!is_full && !pool_->last_error().is_ok()) text.append("; the last error: ").append(pool_->last_error().message());
  return text;
}

// --- streams ---

std::shared_ptr<call::StreamPort> ChannelCore::open_stream(const Method& method, const CallOptions& options,
                                                           MessageView first, bool ends) {
  auto stream = std::make_shared<ClientStreamCore>(shared_from_this(), method, options, ends, first);
  stream->open();
  return stream;
}

namespace {
struct BlockedOperation {
  BlockedCall blocked;
  LoopDriver* driver;
};
}  // namespace

bool ChannelCore::run(call::StreamOperation& operation, const std::function<void()>& begin) {
  BlockedOperation waiting{.blocked = {}, .driver = &driver_};
  operation.waiter = &waiting;
  operation.complete = [](call::StreamOperation& ended) {
    auto& done = *static_cast<BlockedOperation*>(ended.waiter);
    done.driver->finish(done.blocked);
  };
  if (detached_) {
    // Whoever enters after it may be the one to complete it.
    run_detached(begin);
    complete_detached_until_done(waiting.blocked);
    driver_.wait(waiting.blocked);
  } else {
    driver_.drive(waiting.blocked, [&] { run_soon(begin, false); });
  }
  return true;
}

}  // namespace trunkline::client
