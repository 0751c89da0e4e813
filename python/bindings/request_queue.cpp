// SPDX-License-Identifier: MIT
// Who serves the loop and who runs handlers.
#include "request_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace trunkline::python {

namespace {

/// So many answers are handed in together before the loop is looked at again, also if more calls wait.
constexpr std::size_t answers_at_once = 64;
/// How long the loop may be without anyone to look after it.
constexpr std::chrono::milliseconds tick_interval{2};
/// So many ticks without a call, and nobody ticks until calls come again.
constexpr int ticks_until_dormant = 64;
/// An event loop that has not answered all its calls for so long may have been closed.
constexpr std::chrono::seconds patience{1};

}  // namespace

std::shared_ptr<RequestQueue> RequestQueue::make(const std::shared_ptr<Pump>& pump) {
  auto made = std::make_shared<RequestQueue>(pump);
  pump->on_hand_over([weak = std::weak_ptr(made)] {
    if (const std::shared_ptr<RequestQueue> queue = weak.lock()) queue->wake_dormant();
  });
  return made;
}

RequestQueue::~RequestQueue() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RequestQueue::push(std::shared_ptr<ServedCall> call) {
  running_.fetch_add(1, std::memory_order_relaxed);
  push_item({std::move(call), false});
}

void RequestQueue::push_item(Item item) {
  bool is_first = false;
  bool is_late = false;
  {
    const std::lock_guard lock(mutex_);
    is_late = is_closed();
    if (!is_late) {
      items_.push_back(std::move(item));
      has_items_.store(true, std::memory_order_release);
      is_first = !std::exchange(announced_, true);
      if (descriptor_ < 0 && !leader_serves_) wake_one();
    }
  }
  if (is_late && !item.is_cancellation) {
    item.call->refuse();
    Calls refused{std::move(item.call)};
    post(std::move(refused));
  } else if (descriptor_ >= 0 && is_first) {
    watch();
    // Told once all that comes in this turn is there.
    pump_->net_loop().post([self = shared_from_this()] {
      const std::uint64_t one = 1;
      static_cast<void>(!::write(self->descriptor_, &one, sizeof one));
    });
  }
}

/// With the mutex held.
void RequestQueue::wake_one() {
  if (standing_by_ > 0) {
    changed_.notify_one();
  } else {
    is_wanted_ = true;
    ticker_.notify_one();
  }
}

/// Nobody leads any more: somebody has to keep an eye on that.
void RequestQueue::wake_dormant() {
  if (!is_dormant_.load(std::memory_order_seq_cst)) return;
  const std::lock_guard lock(mutex_);
  ticker_.notify_one();
}

void RequestQueue::call_stand_by() {
  const std::lock_guard lock(mutex_);
  wake_one();
}

bool RequestQueue::has_several() {
  const std::lock_guard lock(mutex_);
  return items_.size() > 1;
}

std::shared_ptr<ServedCall> RequestQueue::pop() {
  const std::lock_guard lock(mutex_);
  if (items_.empty()) return nullptr;
  std::shared_ptr<ServedCall> call = std::move(items_.front().call);
  items_.pop_front();
  ++popped_;
  if (items_.empty()) {
    announced_ = false;
    has_items_.store(false, std::memory_order_relaxed);
  }
  return call;
}

std::shared_ptr<ServedCall> RequestQueue::next() {
  if (answers_.size() >= answers_at_once) flush_amid_calls();
  for (;;) {
    if (std::shared_ptr<ServedCall> call = pop()) {
      ++calls_;
      return call;
    }
    if (is_closed()) {
      flush();
      return nullptr;
    }
    drop_left_references();
    Calls answers = std::exchange(answers_, {});
    {
      const ReleasedGil released;
      wait_for_calls(std::move(answers));
    }
    ++batches_;
  }
}

/// Calls that come meanwhile are this worker's: none that stands by is woken to share the GIL with it.
void RequestQueue::flush_amid_calls() {
  Calls answers = std::exchange(answers_, {});
  const ReleasedGil released;
  const auto hand_in = [&] {
    leader_serves_ = true;
    resume_all(answers);
  };
  if (!pump_->lead_once(hand_in, [this] { leader_serves_ = false; })) post(std::move(answers));
}

/// Without the GIL.
void RequestQueue::wait_for_calls(Calls answers) {
  const auto has_calls = [&] {
    leader_serves_ = true;
    if (!answers.empty()) resume_all(answers);
    return has_items_.load(std::memory_order_acquire) || is_closed();
  };
  const auto leave = [this] {
    // Where there are several, more are on their way: they need not wait until these are done.
    if (has_several()) pump_->net_loop().poll();
    leader_serves_ = false;
  };
  const bool claims = keeper_leads_.load(std::memory_order_relaxed);
  if (pump_->lead_until(has_calls, leave, claims)) return;
  if (!answers.empty()) post(std::move(answers));
  stand_by();
}

/// Until there are calls that the leader does not serve, or the loop is to be looked after.
void RequestQueue::stand_by() {
  std::unique_lock lock(mutex_);
  if (!items_.empty() || is_closed()) return;
  ++standing_by_;
  changed_.wait(lock);
  --standing_by_;
  if (items_.size() > 1) wake_one();
}

void RequestQueue::keep() {
  std::unique_lock lock(mutex_);
  for (int idle = 0; !is_closed();) {
    if (!tick(lock, idle)) continue;
    if (standing_by_ > 0) {
      changed_.notify_one();  // a worker can run handlers as well
      continue;
    }
    lock.unlock();
    keeper_leads_.store(true, std::memory_order_relaxed);
    pump_->lead_until([this] { return is_closed(); }, [] {}, false);
    keeper_leads_.store(false, std::memory_order_relaxed);
    lock.lock();
  }
}

/// True if nobody has looked after the loop or the calls that wait for a tick, or the keeper was called.
bool RequestQueue::tick(std::unique_lock<std::mutex>& lock, int& idle) {
  const std::uint64_t turns = pump_->turns_of_lead();
  const std::uint64_t popped = popped_;
  const bool had_items = !items_.empty();
  is_dormant_.store(idle >= ticks_until_dormant && !had_items, std::memory_order_seq_cst);
  // Whoever stops to lead after this sees that it has to be told.
  if (is_dormant_ && pump_->is_led()) {
    ticker_.wait(lock);
    idle = 0;
  } else {
    ticker_.wait_for(lock, tick_interval);
    idle = pump_->is_led() && pump_->turns_of_lead() == turns ? idle + 1 : 0;
  }
  is_dormant_.store(false, std::memory_order_relaxed);
  const bool is_wanted = std::exchange(is_wanted_, false);
  // The worker that led when they came is busy with one of them, and a stream's handler may lead while it waits.
  const bool are_left = had_items && !items_.empty() && popped_ == popped;
  const bool is_left = !pump_->is_led() && (is_wanted || pump_->turns_of_lead() == turns);
  return !is_closed() && (are_left || is_left);
}

int RequestQueue::open_descriptor(const py::handle& is_closed) {
  if (descriptor_ >= 0) return descriptor_;
  is_loop_closed_ = Reference(is_closed);
  descriptor_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (descriptor_ < 0) throw std::system_error(errno, std::system_category(), "eventfd");
  return descriptor_;
}

void RequestQueue::watch() {
  if (!unanswered_.is_scheduled()) pump_->net_loop().timers().schedule(unanswered_, pump_->net_loop().now() + patience);
}

void RequestQueue::look_after_loop(base::TimePoint now) {
  if (running() == 0 || is_closed()) return;
  {
    const py::gil_scoped_acquire held;
    try {
      if (is_loop_closed_ && is_loop_closed_.share()().cast<bool>()) return close();
    } catch (const std::exception&) {
      // It is asked again.
    }
  }
  pump_->net_loop().timers().schedule(unanswered_, now + patience);
}

std::vector<RequestQueue::Item> RequestQueue::take_all() {
  drop_left_references();
  std::uint64_t count = 0;
  static_cast<void>(!::read(descriptor_, &count, sizeof count));
  std::deque<Item> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(items_);
    announced_ = false;
    has_items_.store(false, std::memory_order_relaxed);
  }
  if (!taken.empty()) ++batches_, calls_ += taken.size();
  return {std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end())};
}

/// On the loop's thread, or whoever has the lead.
void RequestQueue::resume_all(Calls& calls) {
  Calls taken = std::exchange(calls, {});
  for (std::shared_ptr<ServedCall>& call : taken) {
    const std::unique_ptr<Resumption> resumption = std::move(call->resumption);
    call.reset();
    running_.fetch_sub(1, std::memory_order_release);
    if (resumption != nullptr) resumption->resume();
  }
}

void RequestQueue::post(Calls calls) {
  auto shared = std::make_shared<Calls>(std::move(calls));
  pump_->net_loop().post([self = shared_from_this(), shared] { self->resume_all(*shared); });
}

void RequestQueue::answer(std::shared_ptr<ServedCall> call) {
  if (!std::exchange(call->is_handed_in, true)) answers_.push_back(std::move(call));
}

void RequestQueue::flush() {
  if (answers_.empty()) return;
  Calls answers = std::exchange(answers_, {});
  const ReleasedGil released;
  if (!pump_->lead_once([&] { resume_all(answers); })) post(std::move(answers));
}

void RequestQueue::close() {
  is_loop_closed_ = {};
  std::deque<Item> left;
  {
    const std::lock_guard lock(mutex_);
    closed_.store(true, std::memory_order_release);
    left.swap(items_);
    has_items_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
    ticker_.notify_all();
  }
  for (Item& item : left) {
    if (item.is_cancellation) continue;
    item.call->refuse();
    answers_.push_back(std::move(item.call));
  }
  // For a worker that leads.
  pump_->net_loop().post([] {});
  flush();
}

}  // namespace trunkline::python
