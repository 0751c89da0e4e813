// SPDX-License-Identifier: MIT
// Leading, following and handing over.
#include "pump.h"

#include <exception>
#include <system_error>
#include <utility>

namespace trunkline::python {

std::shared_ptr<Pump> Pump::make(std::chrono::microseconds busy_poll) {
  return {new Pump(busy_poll), [](Pump* pump) {
            if (pump->birthplace().is_here()) delete pump;
          }};
}

/// Taken already, with the mutex not held; handed over at the end, however that comes. Leaves `lock` locked.
class Pump::Lead {
 public:
  Lead(Pump& pump, std::unique_lock<std::mutex>& lock) noexcept : pump_(pump), lock_(lock) {}
  ~Lead() {
    lock_.lock();
    pump_.hand_over();
  }
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;

 private:
  Pump& pump_;
  std::unique_lock<std::mutex>& lock_;
};

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

void Pump::take_lead() noexcept {
  led_ = true;
  leads_.fetch_add(1, std::memory_order_relaxed);
  abdicate_.store(claims_ > 0, std::memory_order_relaxed);
}

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
      take_lead();
      lock.unlock();
      {
        const Lead lead(*this, lock);
        net_loop_.run_until([&] { return waitable.is_set() || abdicate_.load(std::memory_order_relaxed); }, until);
      }
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
  take_lead();
  return true;
}

bool Pump::lead_once(const std::function<void()>& task) {
  if (!try_lead()) return false;
  std::unique_lock lock(mutex_, std::defer_lock);
  const Lead lead(*this, lock);
  task();
  net_loop_.poll();
  return true;
}

void Pump::claim_lead() {
  std::unique_lock lock(mutex_);
  if (led_) {
    abdicate_.store(true, std::memory_order_relaxed);
    net_loop_.post(std::function<void()>([] {}));
    ++claims_;
    free_.wait(lock, [this] { return !led_; });
    --claims_;
  }
  take_lead();
}

bool Pump::lead_until(const std::function<bool()>& done, const std::function<void()>& at_end, bool claims) {
  if (!try_lead()) {
    if (!claims || has_thread()) return false;
    claim_lead();
  }
  std::unique_lock lock(mutex_, std::defer_lock);
  const Lead lead(*this, lock);
  net_loop_.run_until([&] { return done() || abdicate_.load(std::memory_order_relaxed); }, Time::max());
  at_end();
  return true;
}

void Pump::run_alone(const std::function<void()>& task) {
  claim_lead();
  std::unique_lock lock(mutex_, std::defer_lock);
  const Lead lead(*this, lock);
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
      take_lead();
      abdicate_.store(false, std::memory_order_relaxed);
    }
    while (!stopping_.load(std::memory_order_acquire)) {
      try {
        loop_.run();
      } catch (const std::exception&) {
        // A turn has failed, such as for want of memory: what it was about ends by its deadline or with its connection.
        // Not everything is caught: the end of the interpreter unwinds threads that were about to take the GIL.
      }
    }
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
