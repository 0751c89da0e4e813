// SPDX-License-Identifier: MIT
// LoopRunner: leads, follows, and hands over.
#include "net/loop_runner.h"

#include <pthread.h>

#include <exception>
#include <string>
#include <system_error>

namespace trunkline::net {

/// A thread that waits while another leads. It is linked in the lists of the runner and of what it waits for. The
/// runner's mutex is held when it is made, used and destroyed.
class LoopFollower {
 public:
  LoopFollower(LoopRunner& runner, Waitable& waitable) noexcept
      : runner_(runner),
        waitable_(waitable),
        next_(std::exchange(runner.first_follower_, this)),
        next_of_waitable_(std::exchange(waitable.first_waiter_, this)) {
    if (next_ != nullptr) next_->previous_ = this;
    waitable_.state_.fetch_or(Waitable::followed_bit, std::memory_order_seq_cst);
  }
  ~LoopFollower() {
    (previous_ != nullptr ? previous_->next_ : runner_.first_follower_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
    LoopFollower** link = &waitable_.first_waiter_;
    while (*link != this) link = &(*link)->next_of_waitable_;
    *link = next_of_waitable_;
    if (waitable_.first_waiter_ != nullptr) return;
    waitable_.state_.fetch_and(static_cast<std::uint8_t>(~Waitable::followed_bit), std::memory_order_relaxed);
  }
  LoopFollower(const LoopFollower&) = delete;
  LoopFollower& operator=(const LoopFollower&) = delete;

  LoopFollower* next() const noexcept { return next_; }
  LoopFollower* next_of_waitable() const noexcept { return next_of_waitable_; }
  const Waitable& waitable() const noexcept { return waitable_; }
  void wake() noexcept { changed_.notify_one(); }
  /// Sleeps with `lock` unlocked. Returns false if `until` has come.
  bool sleep(std::unique_lock<std::mutex>& lock, base::TimePoint until) {
    if (until != base::never) return changed_.wait_until(lock, until) == std::cv_status::no_timeout;
    changed_.wait(lock);
    return true;
  }

 private:
  LoopRunner& runner_;
  Waitable& waitable_;
  std::condition_variable changed_;
  LoopFollower* next_;
  LoopFollower* previous_ = nullptr;
  LoopFollower* next_of_waitable_;
};

LoopRunner::~LoopRunner() {
  if (thread_.joinable()) stop();
}

// --- waiting ---

bool LoopRunner::wait(Waitable& waitable, base::TimePoint until) {
  if (waitable.is_set()) return true;
  std::shared_ptr<void> work_left;
  std::unique_lock lock(mutex_);
  while (!waitable.is_set()) {
    if (may_lead()) {
      take_lead();
      lock.unlock();
      work_left = nullptr;
      try {
        lead_for(waitable, until);
      } catch (...) {
        work_left = hand_over(lock);
        throw;
      }
      work_left = hand_over(lock);
      if (!waitable.is_set() && until != base::never && base::Clock::now() >= until) return false;
    } else if (!follow(waitable, until, lock)) {
      break;
    }
  }
  // This thread may have been woken to take the lead.
  if (may_lead()) wake_follower();
  return waitable.is_set();
}

/// Waits without leading. Returns false if `until` has come.
bool LoopRunner::follow(Waitable& waitable, base::TimePoint until, std::unique_lock<std::mutex>& lock) {
  LoopFollower follower(*this, waitable);
  // set() either sees this follower, or was called before it became one.
  return waitable.is_set() || follower.sleep(lock, until);
}

void LoopRunner::lead_for(Waitable& waitable, base::TimePoint until) {
  const auto done = [&] { return waitable.is_set(); };
  if (!hooks_.on_exception) {
    run_led(done, until);
    return;
  }
  for (bool returned = false; !returned;) {
    try {
      run_led(done, until);
      returned = true;
    } catch (...) {
      hooks_.on_exception();
    }
  }
}

void LoopRunner::set(Waitable& waitable) {
  std::uint8_t state = 0;
  // `waitable` may be gone afterwards. The exchange fails if a thread follows for it, which then has to be woken.
  if (!waitable.state_.compare_exchange_strong(state, Waitable::set_bit, std::memory_order_seq_cst)) {
    const std::lock_guard lock(mutex_);
    LoopFollower* const first = waitable.first_waiter_;
    waitable.state_.fetch_or(Waitable::set_bit, std::memory_order_seq_cst);
    for (LoopFollower* follower = first; follower != nullptr; follower = follower->next_of_waitable()) follower->wake();
  }
  // A leader looks at what it waits for after each turn.
  if (led_.load(std::memory_order_seq_cst) && !loop_.is_current()) loop_.post([] {});
}

// --- leading ---

LoopRunner::Lead::~Lead() {
  if (runner_ == nullptr) return;
  std::shared_ptr<void> work_left;
  std::unique_lock lock(runner_->mutex_, std::defer_lock);
  work_left = runner_->hand_over(lock);
}

std::optional<LoopRunner::Lead> LoopRunner::try_lead() {
  const std::lock_guard lock(mutex_);
  if (!may_lead()) return std::nullopt;
  take_lead();
  return std::optional<Lead>(std::in_place, *this);
}

LoopRunner::Lead LoopRunner::claim_lead() {
  std::unique_lock lock(mutex_);
  if (led_) {
    interrupt_leader();
    ++claims_;
    wait_for_lead(lock);
    --claims_;
  }
  take_lead();
  return Lead(*this);
}

void LoopRunner::take_lead() noexcept {
  led_.store(true, std::memory_order_seq_cst);
  lead_count_.fetch_add(1, std::memory_order_relaxed);
  make_way_.store(claims_ > 0, std::memory_order_relaxed);
}

/// Waits until no thread leads, or, if `until_stopping`, until stop() was called.
void LoopRunner::wait_for_lead(std::unique_lock<std::mutex>& lock, bool until_stopping) {
  ++lead_free_waiters_;
  lead_free_.wait(lock, [&] { return !led_ || (until_stopping && stopping_); });
  --lead_free_waiters_;
}

void LoopRunner::interrupt_leader() {
  make_way_.store(true, std::memory_order_relaxed);
  loop_.post(std::function<void()>([] {}));
}

/// Hands the lead to a thread that claims it, to the runner's own, to one that waits, or, if there is work left, to a
/// thread that is started for it. If the system refuses that one, the work is done when a thread leads again.
std::shared_ptr<void> LoopRunner::hand_over(std::unique_lock<std::mutex>& lock) {
  std::shared_ptr<void> work_left;
  if (hooks_.work_left) work_left = hooks_.work_left();
  lock.lock();
  if (stopped_inside_ && hooks_.on_stopped) {
    lock.unlock();
    hooks_.on_stopped();
    lock.lock();
  }
  led_.store(false, std::memory_order_seq_cst);
  if (lead_free_waiters_ > 0) lead_free_.notify_all();
  if (hooks_.on_hand_over) hooks_.on_hand_over();
  if (may_lead() && !wake_follower() && work_left != nullptr) static_cast<void>(start_thread_locked(work_left));
  return work_left;
}

/// Wakes a follower whose wait is not over: one that leaves does not lead. Returns false if there is no other.
bool LoopRunner::wake_follower() noexcept {
  for (LoopFollower* follower = first_follower_; follower != nullptr; follower = follower->next()) {
    if (follower->waitable().is_set()) continue;
    follower->wake();
    return true;
  }
  return false;
}

// --- the runner's own thread ---

Status LoopRunner::start_thread(const std::shared_ptr<void>& keep) {
  if (has_thread()) return {};
  const std::lock_guard lock(mutex_);
  return start_thread_locked(keep);
}

Status LoopRunner::start_thread_locked(const std::shared_ptr<void>& keep) {
  if (is_external_ || stopping_ || has_thread() || thread_stopping_) return {};
  try {
    thread_ = std::thread([this, keep] { run_thread(); });
  } catch (const std::system_error& error) {
    return {StatusCode::resource_exhausted,
            "start thread: the system refuses one for the event loop: " + std::string(error.what())};
  }
  has_thread_.store(true, std::memory_order_release);
  if (led_) interrupt_leader();
  return {};
}

void LoopRunner::run_thread() {
  // Debuggers and top show the name. It has at most 15 characters.
  ::pthread_setname_np(::pthread_self(), "trunkline-loop");
  std::shared_ptr<void> work_left;
  std::unique_lock lock(mutex_);
  if (!stopping_) wait_for_lead(lock, true);
  if (!stopping_) {
    take_lead();
    lock.unlock();
    run_loop_until_stopped();
    // As long as this counts as the runner's thread, no other may lead.
    work_left = hand_over(lock);
  }
  has_thread_.store(false, std::memory_order_release);
  if (may_lead()) wake_follower();
}

void LoopRunner::run_loop_until_stopped() {
  while (!thread_stopping_.load(std::memory_order_acquire)) {
    if (hooks_.on_exception) {
      try {
        loop_.run();
      } catch (...) {
        hooks_.on_exception();
      }
    } else {
      try {
        loop_.run();
      } catch (const std::exception&) {
        // A turn has failed, for example for lack of memory. Its operation ends by its deadline or with its connection.
        // Not everything is caught: the end of Python's interpreter unwinds threads that are about to take the GIL.
      }
    }
  }
}

void LoopRunner::stop_thread() {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) return;
    thread_stopping_.store(true, std::memory_order_release);
  }
  loop_.stop();
  thread_.join();
  thread_stopping_.store(false, std::memory_order_release);
}

void LoopRunner::stop() {
  if (is_external_) return;
  const bool is_inside = loop_.is_current();
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopping_ = true;
    stopped_inside_ = is_inside;
    thread_stopping_.store(true, std::memory_order_release);
    lead_free_.notify_all();
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
    interrupt_leader();
    wait_for_lead(lock);
  }
  stopped_ = true;
}

}  // namespace trunkline::net
