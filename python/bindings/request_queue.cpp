// SPDX-License-Identifier: MIT
// Which thread runs the loop and which ones run handlers.
#include "request_queue.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <utility>

namespace trunkline::python {

namespace {

/// At most this many finished calls are handed in together before the loop runs again, even if more calls wait.
constexpr std::size_t finished_at_once = 64;
/// How long the loop may be without a thread that runs it.
constexpr std::chrono::milliseconds tick_interval{2};
/// After this many ticks without a call the keeper stops ticking until calls arrive.
constexpr int ticks_until_dormant = 64;

/// Catches what a turn of the loop throws, such as out of memory, so that the leading thread survives. The calls
/// concerned end by their deadline or with their connection.
template <class Turn>
void survive(const Turn& turn) {
  try {
    turn();
  } catch (const std::exception&) {
  }
}

}  // namespace

std::shared_ptr<RequestQueue> RequestQueue::make(const std::shared_ptr<Pump>& pump) {
  // Never destroyed in a forked child: its calls belong to coroutines of the parent.
  const std::shared_ptr<RequestQueue> made(new RequestQueue(pump), [](RequestQueue* queue) {
    if (queue->pump_->fork_guard().is_here()) delete queue;
  });
  pump->on_hand_over([weak = std::weak_ptr(made)] {
    if (const std::shared_ptr<RequestQueue> queue = weak.lock()) queue->end_of_lead();
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
      if (!item.is_cancellation) item.call->is_queued = true;
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
    // Announced once all calls of this turn are there.
    pump_->net_loop().post([self = shared_from_this()] {
      const std::uint64_t one = 1;
      static_cast<void>(!::write(self->descriptor_, &one, sizeof one));
    });
  }
}

bool RequestQueue::withdraw(const std::shared_ptr<ServedCall>& call) {
  constexpr std::size_t few = 64;
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(call->is_queued, false)) return false;
    call->is_handed_in = true;
    if (++withdrawn_items_ >= few && withdrawn_items_ >= items_.size() / 2) {
      std::erase_if(items_, [this](const Item& item) { return is_withdrawn(item); });
      withdrawn_items_ = 0;
    }
  }
  call->withdraw();
  // The call must not end inside the callback that reports its cancellation.
  withdrawn_.push_back(call);
  if (withdrawn_.size() == 1)
    pump_->net_loop().post([self = shared_from_this()] { self->resume_all(self->withdrawn_); });
  return true;
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

/// No thread leads any more: the keeper has to watch the loop.
void RequestQueue::end_of_lead() {
  leader_serves_ = false;
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

/// With the mutex held.
std::shared_ptr<ServedCall> RequestQueue::pop() {
  std::shared_ptr<ServedCall> call;
  while (call == nullptr && !items_.empty()) {
    if (is_withdrawn(items_.front())) {
      --withdrawn_items_;
    } else {
      call = std::move(items_.front().call);
      call->is_queued = false;
      ++popped_;
    }
    items_.pop_front();
  }
  if (items_.empty()) {
    announced_ = false;
    has_items_.store(false, std::memory_order_relaxed);
  }
  return call;
}

/// With the mutex held.
void RequestQueue::put(std::shared_ptr<ServedCall> finished) {
  if (finished->is_handed_in) return;
  finished_.push_back(finished);
  finished->is_handed_in = true;
}

/// With the mutex held.
RequestQueue::Calls RequestQueue::take_finished() {
  ++hand_ins_;
  return std::exchange(finished_, {});
}

std::shared_ptr<ServedCall> RequestQueue::next(std::shared_ptr<ServedCall> previous) {
  std::unique_lock lock(mutex_);
  if (previous != nullptr) put(std::move(previous));
  if (finished_.size() >= finished_at_once) {
    Calls finished = take_finished();
    lock.unlock();
    flush_amid_calls(std::move(finished));
    lock.lock();
  }
  for (bool has_waited = false;; has_waited = true) {
    if (std::shared_ptr<ServedCall> call = pop()) {
      ++calls_;
      if (has_waited) ++batches_;
      if (!keeper_leads_.load(std::memory_order_relaxed) || finished_.empty()) return call;
      // All other workers are busy, and this one is about to be: no other thread would hand them in.
      Calls finished = take_finished();
      lock.unlock();
      post(std::move(finished));
      return call;
    }
    Calls finished = take_finished();
    lock.unlock();
    if (is_closed()) {
      const ReleasedGil released;
      hand_in(std::move(finished));
      return nullptr;
    }
    drop_left_references();
    {
      const ReleasedGil released;
      survive([&] { wait_for_calls(std::move(finished)); });
    }
    lock.lock();
  }
}

/// This worker serves the calls that arrive meanwhile: no other one is woken to compete for the GIL.
void RequestQueue::flush_amid_calls(Calls finished) {
  const ReleasedGil released;
  const auto serve = [&] {
    leader_serves_ = true;
    resume_all(finished);
  };
  survive([&] {
    if (!pump_->lead_once(serve)) post(std::move(finished));
  });
}

/// Without the GIL.
void RequestQueue::wait_for_calls(Calls finished) {
  const auto has_calls = [&] {
    leader_serves_ = true;
    if (!finished.empty()) resume_all(finished);
    return has_items_.load(std::memory_order_acquire) || is_closed();
  };
  const auto leave = [this] {
    // With several calls, more are likely to follow; they need not wait until these are done.
    if (has_several()) pump_->net_loop().poll();
  };
  // Only one worker claims the lead from the keeper; otherwise workers would take it from each other until the keeper
  // runs.
  const bool claims = keeper_leads_.load(std::memory_order_relaxed) && keeper_leads_.exchange(false);
  if (pump_->lead_until(has_calls, leave, claims)) return;
  if (!finished.empty()) post(std::move(finished));
  stand_by();
}

/// Waits until there are calls that the leader does not serve, or the loop needs a thread.
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
    const bool had_finished = !finished_.empty();
    const std::uint64_t hand_ins = hand_ins_;
    const bool is_due = tick(lock, idle);
    if (had_finished && hand_ins_ == hand_ins) {
      // Their worker is busy with another call.
      Calls finished = take_finished();
      lock.unlock();
      hand_in(std::move(finished));
      lock.lock();
    }
    if (!is_due) continue;
    if (standing_by_ > 0) {
      changed_.notify_one();  // a worker can also run handlers
      continue;
    }
    // From here on, workers that find the next call at once hand in by themselves.
    keeper_leads_.store(true, std::memory_order_relaxed);
    Calls finished = take_finished();
    lock.unlock();
    const auto is_over = [&] {
      if (!finished.empty()) resume_all(finished);
      return is_closed();
    };
    survive([&] {
      if (!pump_->lead_until(
              is_over, [] {}, false) &&
          !finished.empty())
        post(std::move(finished));
    });
    keeper_leads_.store(false, std::memory_order_relaxed);
    lock.lock();
  }
}

/// True if no thread has run the loop or served the calls since the last tick, or if the keeper was called.
bool RequestQueue::tick(std::unique_lock<std::mutex>& lock, int& idle) {
  const std::uint64_t turns = pump_->lead_count();
  const std::uint64_t popped = popped_;
  const bool had_items = !items_.empty();
  is_dormant_.store(idle >= ticks_until_dormant && !had_items, std::memory_order_seq_cst);
  // A thread that stops leading after this sees that the keeper must be told.
  if (is_dormant_ && pump_->is_led()) {
    ticker_.wait(lock);
    idle = 0;
  } else {
    if (!is_wanted_) ticker_.wait_for(lock, tick_interval);
    idle = pump_->is_led() && pump_->lead_count() == turns ? idle + 1 : 0;
  }
  is_dormant_.store(false, std::memory_order_relaxed);
  const bool is_wanted = std::exchange(is_wanted_, false);
  // The worker that led when they arrived is busy with one of them. A handler of a stream may lead while it waits.
  const bool are_left = had_items && !items_.empty() && popped_ == popped;
  const bool is_left = !pump_->is_led() && (is_wanted || pump_->lead_count() == turns);
  return !is_closed() && (are_left || is_left);
}

/// On the thread that leads.
void RequestQueue::resume_all(Calls& calls) {
  Calls taken = std::exchange(calls, {});
  for (std::shared_ptr<ServedCall>& call : taken) {
    const std::unique_ptr<Resumption> resumption = std::move(call->resumption);
    call.reset();
    running_.fetch_sub(1, std::memory_order_release);
    if (resumption != nullptr) survive([&] { resumption->resume(); });
  }
}

void RequestQueue::post(Calls calls) {
  auto shared = std::make_shared<Calls>(std::move(calls));
  pump_->net_loop().post([self = shared_from_this(), shared] { self->resume_all(*shared); });
}

void RequestQueue::finish(std::shared_ptr<ServedCall> call) {
  const std::lock_guard lock(mutex_);
  put(std::move(call));
}

void RequestQueue::flush() {
  Calls finished;
  {
    const std::lock_guard lock(mutex_);
    finished = take_finished();
  }
  if (finished.empty()) return;
  const ReleasedGil released;
  hand_in(std::move(finished));
}

/// Without the GIL.
void RequestQueue::hand_in(Calls finished) {
  if (finished.empty()) return;
  survive([&] {
    if (!pump_->lead_once([&] { resume_all(finished); })) post(std::move(finished));
  });
}

void RequestQueue::close() {
  is_loop_closed_ = {};
  std::deque<Item> left;
  {
    const std::lock_guard lock(mutex_);
    closed_.store(true, std::memory_order_release);
    std::erase_if(items_, [this](const Item& item) { return is_withdrawn(item); });
    for (const Item& item : items_) item.call->is_queued = false;
    withdrawn_items_ = 0;
    left.swap(items_);
    has_items_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
    ticker_.notify_all();
  }
  for (Item& item : left) {
    if (item.is_cancellation) continue;
    item.call->refuse();
    finish(std::move(item.call));
  }
  // Wakes a worker that leads.
  pump_->net_loop().post([] {});
  flush();
}

}  // namespace trunkline::python
