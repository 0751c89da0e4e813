// SPDX-License-Identifier: MIT
// CallContext: tells handlers about their call, and keeps what they set for its response.
#include "server/call_context.h"

#include <algorithm>
#include <utility>

namespace trunkline::server {

namespace {

void send_leading(ConnectionLink& link, session::CallId id, const Compressor* compressor, const Metadata& leading,
                  const ConnectionContext& connection_context) {
  session::Session* const session = link.session();
  if (session == nullptr) return;
  session::OutgoingMessage none;
  none.compressor = compressor;
  const Status sent = session->send(id, none, &leading, false);
  if (session::is_refusal_of_metadata(sent)) {
    connection_context.server_state->log(LogLevel::warning, sent.message(), {}, connection_context.peer);
  }
  link.flush();
}

}  // namespace

/// Lasts as long as a callback runs. At its end it wakes the threads that wait for that.
class CallContext::CallbackScope {
 public:
  explicit CallbackScope(CallContext& context) noexcept : context_(context) {}
  ~CallbackScope() {
    {
      std::lock_guard lock(context_.cancel_mutex_);
      context_.callback_thread_ = {};
    }
    context_.callback_ended_.notify_all();
  }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  CallContext& context_;
};

void CallContext::reset() noexcept {
  touched_ = false;
  has_sent_leading_ = false;
  is_shed_ = false;
  cancelled_.store(false, std::memory_order_relaxed);
  leading_.clear();
  trailing_.clear();
  on_cancel_ = nullptr;
  on_drain_ = nullptr;
}

void CallContext::cancel() {
  std::function<void()> taken;
  {
    std::lock_guard lock(cancel_mutex_);
    cancelled_.store(true, std::memory_order_release);
    if (!on_cancel_) return;
    taken = std::exchange(on_cancel_, nullptr);
    callback_thread_ = std::this_thread::get_id();
  }
  run_callback(std::move(taken));
}

void CallContext::tell_drain() {
  std::function<void()> taken;
  {
    std::lock_guard lock(cancel_mutex_);
    if (!on_drain_) return;
    taken = std::exchange(on_drain_, nullptr);
    callback_thread_ = std::this_thread::get_id();
  }
  run_callback(std::move(taken));
}

void CallContext::run_callback(std::function<void()> taken) {
  const CallbackScope scope(*this);
  // The callback is destroyed before `scope`: a thread that waits may own what it has captured.
  const std::function<void()> callback = std::move(taken);
  callback();
}

void CallContext::wait_for_callback(std::unique_lock<std::mutex>& lock) {
  // A callback that replaces itself must not wait for its own end.
  callback_ended_.wait(
      lock, [this] { return callback_thread_ == std::thread::id() || callback_thread_ == std::this_thread::get_id(); });
}

void CallContext::drop_callback() noexcept {
  std::function<void()> dropped;
  std::function<void()> dropped_too;
  std::unique_lock lock(cancel_mutex_);
  wait_for_callback(lock);
  dropped = std::exchange(on_cancel_, nullptr);
  dropped_too = std::exchange(on_drain_, nullptr);
  lock.unlock();
}

void CallContext::on_cancel(std::function<void()> callback) {
  set_callback(on_cancel_, cancelled_, std::move(callback));
}

void CallContext::on_drain(std::function<void()> callback) {
  set_callback(on_drain_, connection_context_->is_draining, std::move(callback));
}

void CallContext::set_callback(std::function<void()>& kept, const std::atomic<bool>& is_due,
                               std::function<void()> callback) {
  touched_ = true;
  {
    std::unique_lock lock(cancel_mutex_);
    wait_for_callback(lock);
    if (!is_due.load(std::memory_order_acquire)) {
      kept.swap(callback);
      return;
    }
  }
  if (callback) callback();
}

std::chrono::nanoseconds CallContext::time_left() const noexcept {
  if (deadline_ == base::never) return std::chrono::nanoseconds::max();
  // Only the loop's thread may read the loop's time.
  const base::TimePoint now =
      connection_context_->loop->is_current() ? connection_context_->loop->now() : base::Clock::now();
  return std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(deadline_ - now));
}

unsigned CallContext::priority() const noexcept {
  return connection_context_->server_state->admission.priorities().level_of(*metadata_);
}

Status CallContext::shed(std::string_view why) {
  touched_ = true;
  is_shed_ = true;
  Status status = connection_context_->server_state->admission.shedding().shed(method(), why);
  status.set_may_have_run(false);
  return status;
}

void CallContext::add_leading_metadata(std::string_view name, std::string_view value) {
  if (has_sent_leading_) return;
  touched_ = true;
  leading_.add(name, value);
}

void CallContext::send_leading_metadata() {
  if (std::exchange(has_sent_leading_, true)) return;
  touched_ = true;
  Metadata leading = take_leading();
  // The call's id may be another one's by now.
  if (is_cancelled()) return;
  if (connection_context_->loop->is_current()) {
    if (const std::shared_ptr<ConnectionLink> link = connection_context_->link.lock())
      send_leading(*link, call_id_, compressor(), leading, *connection_context_);
    return;
  }
  // Messages that the handler sends later are posted later, and so is its end.
  connection_context_->loop->post(
      [weak = connection_context_->link, id = call_id_, compressor = compressor(), leading = std::move(leading)] {
        const std::shared_ptr<ConnectionLink> link = weak.lock();
        if (link != nullptr) send_leading(*link, id, compressor, leading, link->connection_context());
      });
}

void CallContext::add_trailing_metadata(std::string_view name, std::string_view value) {
  touched_ = true;
  trailing_.add(name, value);
}

bool CallContext::set_compressor(std::string_view name) {
  if (name == "identity") {
    chosen_compressor_ = nullptr;
    has_chosen_compressor_ = true;
    return true;
  }
  const auto& compressors = connection_context_->server_state->options.compressors.compressors();
  const auto found =
      std::find_if(compressors.begin(), compressors.end(), [name](const auto& each) { return each->name() == name; });
  const auto position = static_cast<std::size_t>(found - compressors.begin());
  if (found == compressors.end() || !accepted_compressors_.contains(position)) return false;
  chosen_compressor_ = found->get();
  has_chosen_compressor_ = true;
  return true;
}

void CallContext::disconnect() {
  connection_context_->loop->post([weak = connection_context_->link] {
    if (const std::shared_ptr<ConnectionLink> link = weak.lock()) link->drop();
  });
}

}  // namespace trunkline::server
