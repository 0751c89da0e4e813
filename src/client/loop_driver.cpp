// SPDX-License-Identifier: MIT
// Leading, following, and handing over.
#include "client/loop_driver.h"

#include <string>
#include <system_error>

namespace trunkline::client {

namespace {
/// After a longer pause without anyone running the loop, what has happened meanwhile is looked at before a call is
/// sent.
constexpr auto stale_after = std::chrono::milliseconds(10);
}  // namespace

// --- leading ---

bool LoopDriver::try_lead() {
  const std::lock_guard lock(mutex_);
  if (led_ || stopping_ || has_thread_.load(std::memory_order_relaxed)) return false;
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
  const std::shared_ptr<void> work_left = hooks_.work_left();
  std::unique_lock lock(mutex_);
  end_lead(lock, work_left);
  return call.done_;
}

/// To the thread, to somebody who waits, or to a thread that is started because there is work left. Without one, for
/// the system refuses it, the work is done when somebody leads again.
void LoopDriver::end_lead(std::unique_lock<std::mutex>& lock, const std::shared_ptr<void>& work_left) {
  if (stopped_inside_) {
    lock.unlock();
    hooks_.on_over();
    lock.lock();
  }
  led_ = false;
  if (stopping_ || has_thread_.load(std::memory_order_relaxed)) return free_.notify_all();
  if (wake_a_waiter() || work_left == nullptr) return;
  static_cast<void>(start_thread_locked(work_left));
}

/// Not one that is done: it just leaves. False if there is no other.
bool LoopDriver::wake_a_waiter() {
  for (BlockedCall* waiting = waiting_; waiting != nullptr; waiting = waiting->next_) {
    if (waiting->done_) continue;
    waiting->changed_.notify_one();
    return true;
  }
  return false;
}

// --- following ---

void LoopDriver::finish(BlockedCall& call) {
  // Notified under the lock: the waiter may be gone afterwards.
  const std::lock_guard lock(mutex_);
  call.done_ = true;
  call.changed_.notify_one();
}

void LoopDriver::wait(BlockedCall& call) {
  const auto nothing = [] {};
  std::shared_ptr<void> work_left;
  std::unique_lock lock(mutex_);
  call.next_ = std::exchange(waiting_, &call);
  if (call.next_ != nullptr) call.next_->previous_ = &call;
  while (!call.done_) {
    if (!is_own_ || led_ || stopping_ || has_thread_.load(std::memory_order_relaxed)) {
      call.changed_.wait(lock);
      continue;
    }
    led_ = true;
    lock.unlock();
    run_loop(nothing, [&] { return call.done_ || abdicate_.load(std::memory_order_relaxed); });
    work_left = hooks_.work_left();
    lock.lock();
    end_lead(lock, work_left);
  }
  (call.previous_ != nullptr ? call.previous_->next_ : waiting_) = call.next_;
  if (call.next_ != nullptr) call.next_->previous_ = call.previous_;
}

// --- the thread ---

Status LoopDriver::start_thread(const std::shared_ptr<void>& keep) {
  if (!is_own_ || has_thread()) return {};
  const std::lock_guard lock(mutex_);
  return start_thread_locked(keep);
}

Status LoopDriver::start_thread_locked(const std::shared_ptr<void>& keep) {
  if (stopping_ || has_thread_.load(std::memory_order_relaxed)) return {};
  try {
    thread_ = std::thread([this, keep] { run_thread(); });
  } catch (const std::system_error& error) {
    return {StatusCode::resource_exhausted,
            "start thread: the system refuses one for the channel's loop: " + std::string(error.what())};
  }
  has_thread_.store(true, std::memory_order_release);
  if (led_) {
    abdicate_.store(true, std::memory_order_relaxed);
    loop_.post(std::function<void()>([] {}));
  }
  return {};
}

void LoopDriver::run_thread() {
  std::unique_lock lock(mutex_);
  free_.wait(lock, [this] { return !led_ || stopping_; });
  if (!stopping_) {
    led_ = true;
    lock.unlock();
    for (bool stopped = false; !stopped;) {
      try {
        loop_.run();
        stopped = true;
      } catch (...) {
        hooks_.on_exception();
      }
    }
    lock.lock();
    if (!stopping_) abdicate_.store(false, std::memory_order_relaxed);
    end_lead(lock, nullptr);
  }
  has_thread_.store(false, std::memory_order_release);
  if (!stopping_) static_cast<void>(wake_a_waiter());
}

void LoopDriver::stop() {
  if (!is_own_) return;
  const bool is_inside = loop_.is_current();
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopping_ = true;
    stopped_inside_ = is_inside;
    free_.notify_all();
  }
  if (thread_.joinable()) {
    loop_.stop();
    if (thread_.get_id() == std::this_thread::get_id()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }
  if (is_inside) return;
  std::unique_lock lock(mutex_);
  if (led_) {
    abdicate_.store(true, std::memory_order_relaxed);
    loop_.post(std::function<void()>([] {}));
    free_.wait(lock, [this] { return !led_; });
  }
  led_ = stopped_ = true;
}

}  // namespace trunkline::client
