// SPDX-License-Identifier: MIT
// Leading, following, and handing over.
#include "client/loop_driver.h"

namespace trunkline::client {

namespace {
/// After a longer pause without anyone running the loop, what has happened meanwhile is looked at before a call is
/// sent.
constexpr auto stale_after = std::chrono::milliseconds(10);
}  // namespace

LoopDriver::~LoopDriver() {
  if (thread_.joinable()) stop_thread();
}

bool LoopDriver::try_lead() {
  const std::lock_guard lock(mutex_);
  if (led_ || has_thread_.load(std::memory_order_relaxed)) return false;
  led_ = true;
  return true;
}

/// E.g. the server has closed the connection, or it is time to try again.
void LoopDriver::catch_up() {
  const base::TimePoint now = base::Clock::now();
  if (now - last_led_ > stale_after) loop_.poll();
  last_led_ = now;
}

bool LoopDriver::hand_over(const BlockedCall& call) {
  const std::shared_ptr<void> keep = hooks_.work_left();
  bool is_done = false;
  {
    const std::lock_guard lock(mutex_);
    is_done = call.done_;
    led_ = false;
    if (has_thread_.load(std::memory_order_relaxed)) {
      free_.notify_all();
    } else if (waiting_ != nullptr) {
      waiting_->changed_.notify_one();
      return is_done;
    }
  }
  if (keep != nullptr) start_thread(keep);
  return is_done;
}

void LoopDriver::finish(BlockedCall& call) {
  // Notified under the lock: the waiter may be gone afterwards.
  const std::lock_guard lock(mutex_);
  call.done_ = true;
  call.changed_.notify_one();
}

void LoopDriver::wait(BlockedCall& call) {
  const auto nothing = [] {};
  std::shared_ptr<void> keep;
  std::unique_lock lock(mutex_);
  call.next_ = std::exchange(waiting_, &call);
  if (call.next_ != nullptr) call.next_->previous_ = &call;
  while (!call.done_) {
    if (!is_own_ || led_ || has_thread_.load(std::memory_order_relaxed)) {
      call.changed_.wait(lock);
      continue;
    }
    led_ = true;
    lock.unlock();
    run_loop(nothing, [&] { return call.done_ || abdicate_.load(std::memory_order_relaxed); });
    keep = hooks_.work_left();
    lock.lock();
    led_ = false;
    if (has_thread_.load(std::memory_order_relaxed)) free_.notify_all();
  }
  (call.previous_ != nullptr ? call.previous_->next_ : waiting_) = call.next_;
  if (call.next_ != nullptr) call.next_->previous_ = call.previous_;
  if (!is_own_ || led_) return;
  if (waiting_ != nullptr) return waiting_->changed_.notify_one();
  lock.unlock();
  if (keep != nullptr) start_thread(keep);
}

void LoopDriver::start_thread(const std::shared_ptr<void>& keep) {
  if (!is_own_ || has_thread()) return;
  const std::lock_guard lock(mutex_);
  if (stopping_ || has_thread_.load(std::memory_order_relaxed)) return;
  thread_ = std::thread([this, keep] { run_thread(); });
  has_thread_.store(true, std::memory_order_release);
  if (!led_) return;
  abdicate_.store(true, std::memory_order_relaxed);
  loop_.post(std::function<void()>([] {}));
}

void LoopDriver::run_thread() {
  {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [this] { return !led_; });
    led_ = true;
  }
  for (bool stopped = false; !stopped;) {
    try {
      loop_.run();
      stopped = true;
    } catch (...) {
      hooks_.on_exception();
    }
  }
  const std::lock_guard lock(mutex_);
  led_ = false;
  has_thread_.store(false, std::memory_order_release);
  abdicate_.store(false, std::memory_order_relaxed);
  if (waiting_ != nullptr) waiting_->changed_.notify_one();
}

void LoopDriver::stop_thread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (!thread_.joinable()) return;
  }
  loop_.stop();
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

}  // namespace trunkline::client
