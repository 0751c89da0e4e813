// SPDX-License-Identifier: MIT
// Leading, following and handing over.
#include "pump.h"

#include <system_error>
#include <utility>

namespace trunkline::python {

std::shared_ptr<Pump> Pump::make(std::chrono::microseconds busy_poll) {
  return {new Pump(busy_poll), [](Pump* pump) {
            if (pump->birthplace().is_here()) delete pump;
          }};
}

Pump::~Pump() {
  if (thread_.joinable()) stop_thread();
}

void Pump::add(Follower& follower) noexcept {
  follower.next = std::exchange(followers_, &follower);
  if (follower.next != nullptr) follower.next->previous = &follower;
}

void Pump::remove(Follower& follower) noexcept {
  (follower.previous != nullptr ? follower.previous->next : followers_) = follower.next;
  if (follower.next != nullptr) follower.next->previous = follower.previous;
  follower.next = follower.previous = nullptr;
}

/// With the mutex held.
void Pump::hand_over() {
  led_ = false;
  free_.notify_all();
  if (on_hand_over_) on_hand_over_();
  if (may_lead() && followers_ != nullptr) followers_->changed.notify_one();
}

bool Pump::wait(Waitable& waitable, Time until) {
  if (waitable.is_set()) return true;
  std::unique_lock lock(mutex_);
  while (!waitable.is_set()) {
    if (may_lead()) {
      led_ = true;
      leads_.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      net_loop_.run_until([&] { return waitable.is_set() || abdicate_.load(std::memory_order_relaxed); }, until);
      lock.lock();
      hand_over();
      if (!waitable.is_set() && std::chrono::steady_clock::now() >= until) return false;
      continue;
    }
    Follower follower;
    add(follower);
    waitable.waiter_.store(&follower.changed, std::memory_order_seq_cst);
    bool expired = false;
    if (!waitable.is_set()) expired = follower.changed.wait_until(lock, until) == std::cv_status::timeout;
    waitable.waiter_.store(nullptr, std::memory_order_seq_cst);
    remove(follower);
    if (expired) {
      // It may have been woken to lead: another has to, then.
      if (may_lead() && followers_ != nullptr) followers_->changed.notify_one();
      return waitable.is_set();
    }
  }
  if (may_lead() && followers_ != nullptr) followers_->changed.notify_one();
  return true;
}

void Pump::set(Waitable& waitable) {
  waitable.set_.store(true, std::memory_order_seq_cst);
  // Whoever leads looks at what it waits for after each turn.
  if (!net_loop_.is_current()) net_loop_.post([] {});
  if (waitable.waiter_.load(std::memory_order_seq_cst) == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (auto* const waiter = waitable.waiter_.load(std::memory_order_relaxed)) waiter->notify_all();
}

bool Pump::try_lead() {
  const std::lock_guard lock(mutex_);
  if (!may_lead()) return false;
  led_ = true;
  leads_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Pump::lead_once(const std::function<void()>& task, const std::function<void()>& at_end) {
  if (!try_lead()) return false;
  task();
  net_loop_.poll();
  if (at_end) at_end();
  const std::lock_guard lock(mutex_);
  hand_over();
  return true;
}

void Pump::claim_lead() {
  std::unique_lock lock(mutex_);
  ++claims_;
  if (led_) {
    abdicate_.store(true, std::memory_order_relaxed);
    net_loop_.post(std::function<void()>([] {}));
    free_.wait(lock, [this] { return !led_; });
  }
  --claims_;
  led_ = true;
  leads_.fetch_add(1, std::memory_order_relaxed);
  abdicate_.store(claims_ > 0, std::memory_order_relaxed);
}

bool Pump::lead_until(const std::function<bool()>& done, const std::function<void()>& at_end, bool claims) {
  if (!try_lead()) {
    if (!claims || has_thread()) return false;
    claim_lead();
  }
  net_loop_.run_until([&] { return done() || abdicate_.load(std::memory_order_relaxed); }, Time::max());
  at_end();
  const std::lock_guard lock(mutex_);
  hand_over();
  return true;
}

void Pump::run_alone(const std::function<void()>& task) {
  claim_lead();
  struct Leaving {
    ~Leaving() {
      const std::lock_guard lock(pump.mutex_);
      pump.hand_over();
    }
    Pump& pump;
  };
  const Leaving leaving{*this};
  task();
}

void Pump::run_alone_later(std::shared_ptr<Pump> pump, std::function<void()> task) noexcept try {
  std::thread([pump = std::move(pump), task = std::move(task)] {
    pump->stop_thread();
    pump->run_alone(task);
  }).detach();
} catch (const std::system_error&) {
}

void Pump::start_thread() {
  const std::lock_guard lock(mutex_);
  if (has_thread() || stopping_) return;
  thread_ = std::thread([this] {
    {
      std::unique_lock thread_lock(mutex_);
      free_.wait(thread_lock, [this] { return !led_; });
      led_ = true;
      abdicate_.store(false, std::memory_order_relaxed);
    }
    while (!stopping_.load(std::memory_order_acquire)) loop_.run();
    const std::lock_guard thread_lock(mutex_);
    has_thread_.store(false, std::memory_order_release);
    hand_over();
  });
  has_thread_.store(true, std::memory_order_release);
  if (!led_) return;
  abdicate_.store(true, std::memory_order_relaxed);
  net_loop_.post(std::function<void()>([] {}));
}

void Pump::stop_thread() {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) return;
    stopping_.store(true, std::memory_order_release);
  }
  loop_.stop();
  thread_.join();
  stopping_.store(false, std::memory_order_release);
}

}  // namespace trunkline::python
