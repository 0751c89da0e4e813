// SPDX-License-Identifier: MIT
// What handlers may ask and say about their call.
#include "server/call_context.h"

#include "server/server_connection.h"

#include <algorithm>
#include <utility>

namespace trunkline::server {

bool ConnectionFacts::accepts(const Compressor& compressor) const noexcept {
  return std::find(accepted_compressors.begin(), accepted_compressors.end(), &compressor) != accepted_compressors.end();
}

void CallContext::reset() noexcept {
  touched_ = false;
  cancelled_.store(false, std::memory_order_relaxed);
  leading_.clear();
  trailing_.clear();
  on_cancel_ = nullptr;
}

void CallContext::cancel() {
  struct Ending {
    ~Ending() {
      {
        std::lock_guard lock(context.cancel_mutex_);
        context.callback_thread_ = {};
      }
      context.callback_ended_.notify_all();
    }
    CallContext& context;
  };
  std::function<void()> taken;
  {
    std::lock_guard lock(cancel_mutex_);
    cancelled_.store(true, std::memory_order_release);
    if (!on_cancel_) return;
    taken = std::exchange(on_cancel_, nullptr);
    callback_thread_ = std::this_thread::get_id();
  }
  const Ending ending{*this};
  // Destroyed before whoever waits goes on: what it has captured may be theirs.
  const std::function<void()> callback = std::move(taken);
  callback();
}

/// A callback may replace itself.
void CallContext::wait_for_callback(std::unique_lock<std::mutex>& lock) {
  callback_ended_.wait(
      lock, [this] { return callback_thread_ == std::thread::id() || callback_thread_ == std::this_thread::get_id(); });
}

void CallContext::drop_callback() noexcept {
  std::function<void()> dropped;
  std::unique_lock lock(cancel_mutex_);
  wait_for_callback(lock);
  dropped = std::exchange(on_cancel_, nullptr);
  lock.unlock();
}

void CallContext::on_cancel(std::function<void()> callback) {
  touched_ = true;
  {
    std::unique_lock lock(cancel_mutex_);
    wait_for_callback(lock);
    if (!cancelled_.load(std::memory_order_relaxed)) {
      on_cancel_.swap(callback);
      return;
    }
  }
  if (callback) callback();
}

std::chrono::nanoseconds CallContext::time_left() const noexcept {
  if (deadline_ == base::never) return std::chrono::nanoseconds::max();
  // The loop's time is for its own thread only.
  const base::TimePoint now = facts_->loop->is_current() ? facts_->loop->now() : base::Clock::now();
  return std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(deadline_ - now));
}

void CallContext::add_leading_metadata(std::string_view name, std::string_view value) {
  touched_ = true;
  leading_.add(name, value);
}

void CallContext::add_trailing_metadata(std::string_view name, std::string_view value) {
  touched_ = true;
  trailing_.add(name, value);
}

bool CallContext::set_compressor(std::string_view name) {
  if (name == "identity") {
    compressor_ = nullptr;
    return true;
  }
  const Compressor* compressor = facts_->compressors->find(name);
  if (compressor == nullptr || !facts_->accepts(*compressor)) return false;
  compressor_ = compressor;
  return true;
}

void CallContext::disconnect() {
  facts_->loop->post([to = facts_->connection] {
    if (const std::shared_ptr<ServerConnection> connection = to.lock()) connection->drop();
  });
}

}  // namespace trunkline::server
