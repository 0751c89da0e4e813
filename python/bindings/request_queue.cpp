// SPDX-License-Identifier: MIT
// Who serves the loop and who runs handlers.
#include "request_queue.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace trunkline::python {

namespace {

/// So many answers are handed in together before the loop is looked at again, also if more calls wait.
constexpr std::size_t answers_at_once = 64;
/// How long the loop may be without anyone to look after it.
constexpr std::chrono::milliseconds tick_interval{2};
/// So many ticks without a call, and nobody ticks until calls come again.
constexpr int ticks_until_dormant = 64;

/// A turn of the loop that fails, such as for want of memory, ends none of the threads that happen to lead: what it was
/// about ends by its deadline or with its connection.
template <class Turn>
void survive(const Turn& turn) {
  try {
    turn();
  } catch (const std::exception&) {
  }
}

}  // namespace

std::shared_ptr<RequestQueue> RequestQueue::make(const std::shared_ptr<Pump>& pump) {
  // In a forked child it is never destroyed: what is in it belongs to coroutines of the parent's.
  const std::shared_ptr<RequestQueue> made(new RequestQueue(pump), [](RequestQueue* queue) {
    if (queue->pump_->birthplace().is_here()) delete queue;
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

/// With the mutex held.
void RequestQueue::put(std::shared_ptr<ServedCall> answered) {
  if (answered->is_handed_in) return;
  answers_.push_back(answered);
  answered->is_handed_in = true;
}

/// With the mutex held.
RequestQueue::Calls RequestQueue::take_answers() {
  ++hand_ins_;
  return std::exchange(answers_, {});
}

std::shared_ptr<ServedCall> RequestQueue::next(std::shared_ptr<ServedCall> answered) {
  std::unique_lock lock(mutex_);
  if (answered != nullptr) put(std::move(answered));
  if (answers_.size() >= answers_at_once) {
    Calls answers = take_answers();
    lock.unlock();
    flush_amid_calls(std::move(answers));
    lock.lock();
  }
  for (bool has_waited = false;; has_waited = true) {
    if (std::shared_ptr<ServedCall> call = pop()) {
      ++calls_;
      if (has_waited) ++batches_;
      if (!keeper_leads_.load(std::memory_order_relaxed) || answers_.empty()) return call;
      // All others are busy, and this one is about to be: nobody else hands them in.
      Calls answers = take_answers();
      lock.unlock();
      post(std::move(answers));
      return call;
    }
    Calls answers = take_answers();
    lock.unlock();
    if (is_closed()) {
      const ReleasedGil released;
      hand_in(std::move(answers));
      return nullptr;
    }
    drop_left_references();
    {
      const ReleasedGil released;
      survive([&] { wait_for_calls(std::move(answers)); });
    }
    lock.lock();
  }
}

/// Calls that come meanwhile are this worker's: none that stands by is woken to share the GIL with it.
void RequestQueue::flush_amid_calls(Calls answers) {
  const ReleasedGil released;
  const auto serve = [&] {
    leader_serves_ = true;
    resume_all(answers);
  };
  survive([&] {
    if (!pump_->lead_once(serve)) post(std::move(answers));
  });
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
  };
  // One claims it from the keeper, or workers would take it from each other until the keeper has run again.
  const bool claims = keeper_leads_.load(std::memory_order_relaxed) && keeper_leads_.exchange(false);
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
    const bool had_answers = !answers_.empty();
    const std::uint64_t hand_ins = hand_ins_;
    const bool is_due = tick(lock, idle);
    if (had_answers && hand_ins_ == hand_ins) {
      // Their worker is at another call meanwhile.
      Calls answers = take_answers();
      lock.unlock();
      hand_in(std::move(answers));
      lock.lock();
    }
    if (!is_due) continue;
    if (standing_by_ > 0) {
      changed_.notify_one();  // a worker can run handlers as well
      continue;
    }
    // Workers that find the next call at once hand in by themselves from here on.
    keeper_leads_.store(true, std::memory_order_relaxed);
    Calls answers = take_answers();
    lock.unlock();
    const auto is_over = [&] {
      if (!answers.empty()) resume_all(answers);
      return is_closed();
    };
    survive([&] {
      if (!pump_->lead_until(
              is_over, [] {}, false) &&
          !answers.empty())
        post(std::move(answers));
    });
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
    if (!is_wanted_) ticker_.wait_for(lock, tick_interval);
    idle = pump_->is_led() && pump_->turns_of_lead() == turns ? idle + 1 : 0;
  }
  is_dormant_.store(false, std::memory_order_relaxed);
  const bool is_wanted = std::exchange(is_wanted_, false);
  // The worker that led when they came is busy with one of them, and a stream's handler may lead while it waits.
  const bool are_left = had_items && !items_.empty() && popped_ == popped;
  const bool is_left = !pump_->is_led() && (is_wanted || pump_->turns_of_lead() == turns);
  return !is_closed() && (are_left || is_left);
}

/// On the loop's thread, or whoever has the lead.
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

void RequestQueue::answer(std::shared_ptr<ServedCall> call) {
  const std::lock_guard lock(mutex_);
  put(std::move(call));
}

void RequestQueue::flush() {
  Calls answers;
  {
    const std::lock_guard lock(mutex_);
    answers = take_answers();
  }
  if (answers.empty()) return;
  const ReleasedGil released;
  hand_in(std::move(answers));
}

/// Without the GIL.
void RequestQueue::hand_in(Calls answers) {
  if (answers.empty()) return;
  survive([&] {
    if (!pump_->lead_once([&] { resume_all(answers); })) post(std::move(answers));
  });
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
    answer(std::move(item.call));
  }
  // For a worker that leads.
  pump_->net_loop().post([] {});
  flush();
}

}  // namespace trunkline::python
