// SPDX-License-Identifier: MIT
// RequestQueue: decides which thread runs the loop and which ones run handlers.
#include "request_queue.h"

#include "served_method.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace trunkline::python {

namespace {

/// At most this many finished calls are handed in together before the loop runs again, even if more calls wait.
constexpr std::size_t finished_at_once = 64;
/// The time for which the loop may be without a thread that runs it.
constexpr std::chrono::milliseconds tick_interval{2};
/// After this many ticks without a call the keeper stops ticking until calls arrive.
constexpr int ticks_until_dormant = 64;

/// After the system has refused a thread, the next one is tried after this time.
constexpr std::chrono::seconds until_retry{1};

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

std::shared_ptr<RequestQueue> RequestQueue::make(const std::shared_ptr<Pump>& pump,
                                                 const call::JobQueue::Options& order) {
  // The queue is never destroyed in a forked child, since its calls belong to coroutines of the parent.
  const std::shared_ptr<RequestQueue> made(new RequestQueue(pump, order), [](RequestQueue* queue) {
    if (queue->pump_->fork_guard().is_here()) delete queue;
  });
  pump->on_hand_over([weak = std::weak_ptr(made)] {
    if (const std::shared_ptr<RequestQueue> queue = weak.lock()) queue->end_of_lead();
  });
  return made;
}

RequestQueue::~RequestQueue() {
  while (call::Job* const job = pop_any()) released(job);
  if (descriptor_ >= 0) ::close(descriptor_);
}

base::TimePoint RequestQueue::read_clock() const noexcept {
  return waiting_.needs_time() ? base::Clock::now() : base::TimePoint();
}

/// Returns the call of `job`, which has left the queue.
std::shared_ptr<ServedCall> RequestQueue::released(call::Job* job) noexcept {
  return std::exchange(static_cast<ServedCall*>(job)->self_in_queue, nullptr);
}

call::JobQueue& RequestQueue::queue_of(const ServedCall& call) noexcept {
  return call.served_method().is_built_in() && descriptor_ < 0 ? built_in_ : waiting_;
}

/// Returns the next call that waits, without regard to limits.
call::Job* RequestQueue::pop_any() noexcept {
  call::Job* const job = built_in_.pop_any();
  return job != nullptr ? job : waiting_.pop_any();
}

void RequestQueue::push(std::shared_ptr<ServedCall> call) {
  running_.fetch_add(1, std::memory_order_relaxed);
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (!is_closed()) {
      ServedCall& queued = *call;
      queued.self_in_queue = std::move(call);
      queue_of(queued).push(queued, read_clock());
      has_items_.store(true, std::memory_order_seq_cst);  // pairs with fill_place()
      is_first = !std::exchange(announced_, true);
      if (descriptor_ < 0 && !leader_serves_) wake_one();
    }
  }
  if (call == nullptr) return announce_if(is_first);
  call->refuse();
  Calls refused{std::move(call)};
  post(std::move(refused));
}

void RequestQueue::push_cancellation(std::shared_ptr<ServedCall> call) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed()) return;
    cancellations_.push_back(std::move(call));
    has_items_.store(true, std::memory_order_release);
    is_first = !std::exchange(announced_, true);
  }
  announce_if(is_first);
}

/// Tells an event loop when the first call or cancellation is there for it.
void RequestQueue::announce_if(bool is_first) {
  if (descriptor_ < 0 || !is_first) return;
  watch();
  // The loop announces it once all calls of this turn are there.
  pump_->net_loop().post([self = shared_from_this()] {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(self->descriptor_, &one, sizeof one));
  });
}

bool RequestQueue::withdraw(const std::shared_ptr<ServedCall>& call) {
  {
    const std::lock_guard lock(mutex_);
    if (!queue_of(*call).remove(*call)) return false;
    released(call.get());
    call->is_handed_in = true;
  }
  call->withdraw();
  // The call must not end inside the callback that reports its cancellation.
  withdrawn_.push_back(call);
  if (withdrawn_.size() == 1)
    pump_->net_loop().post([self = shared_from_this()] { self->resume_all(self->withdrawn_); });
  return true;
}

/// Requires that the mutex is held.
void RequestQueue::wake_one() {
  if (standing_by_ > 0) {
    changed_.notify_one();
  } else if (!lane_.has_place() || !lane_.call_spare()) {
    wake_keeper();
  }
}

/// Requires that the mutex is held.
void RequestQueue::wake_keeper() {
  is_wanted_ = true;
  ticker_.notify_one();
}

void RequestQueue::open_lanes(int threads, int max_stream_threads) {
  const std::lock_guard lock(mutex_);
  lane_.open(threads);
  reserve_lane_.open(1);
  reserve_lane_.leave();  // the first one is started when it is needed
  max_streams_ = max_stream_threads;
}

void RequestQueue::fill_place(Kind kind) {
  // The order seq_cst makes sure that either this sees the call, or the thread that pushes it sees the place.
  if (!has_items_.load(std::memory_order_seq_cst)) return;
  const std::lock_guard lock(mutex_);
  if (!is_short_of(kind) || lane(kind).call_spare()) return;
  wake_keeper();
  if (keeper_leads_.load(std::memory_order_relaxed)) pump_->net_loop().post([] {});
}

/// Returns true if calls wait for a worker of this kind, and none is free or about to be. Requires the mutex.
bool RequestQueue::is_short_of(Kind kind) const noexcept {
  if (standing_by_ > 0) return false;
  return kind == Kind::general ? waiting_.size() > 0 && lane_.has_place()
                               : built_in_.size() > 0 && reserve_lane_.has_place();
}

/// Calls spare workers, on the keeper with the mutex held. Returns the kind of one that has to be started.
std::optional<RequestQueue::Kind> RequestQueue::fill_places() {
  for (const Kind kind : {Kind::reserve, Kind::general}) {
    if (!is_short_of(kind) || lane(kind).call_spare()) continue;
    if (no_worker_before_ != base::TimePoint() && base::Clock::now() < no_worker_before_) continue;
    no_worker_before_ = {};
    lane(kind).enter();
    return kind;
  }
  return std::nullopt;
}

void RequestQueue::report_refused(Kind kind) {
  const std::lock_guard lock(mutex_);
  lane(kind).leave();
  no_worker_before_ = base::Clock::now() + until_retry;
}

/// Runs when no thread leads any more. The keeper then has to watch the loop.
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
  return queued() > 1;
}

/// Takes the next call. Calls that are shed join those that have finished. Requires that the mutex is held.
std::shared_ptr<ServedCall> RequestQueue::pop(base::TimePoint now) {
  if (call::Job* const job = built_in_.pop_any()) return popped(job);
  call::JobQueue late({});
  call::Job* job = waiting_.pop(now, late);
  while (call::Job* const each = late.pop_any()) {
    std::shared_ptr<ServedCall> shed = released(each);
    shed->shed();
    put(std::move(shed));
  }
  std::shared_ptr<ServedCall> call = popped(job);
  while (call != nullptr && call->is_stream() && max_streams_ > 0) {
    call->counts_as_stream = true;
    if (++streams_ <= max_streams_) break;
    call->refuse_stream(max_streams_);
    put(std::move(call));
    call = popped(waiting_.pop_any());
  }
  return call;
}

/// Returns the call of `job`, if any, after it has been taken. Requires that the mutex is held.
std::shared_ptr<ServedCall> RequestQueue::popped(call::Job* job) {
  if (is_empty()) {
    announced_ = false;
    has_items_.store(false, std::memory_order_relaxed);
  }
  if (job == nullptr) return nullptr;
  ++popped_;
  return released(job);
}

/// Requires that the mutex is held.
void RequestQueue::put(std::shared_ptr<ServedCall> finished) {
  if (finished->is_handed_in) return;
  finished_.push_back(finished);
  finished->is_handed_in = true;
  if (std::exchange(finished->counts_as_stream, false)) --streams_;
}

/// Hands in the call that a worker has run. A deferred one stays open, and occupies no worker from now on. Requires
/// that the mutex is held.
void RequestQueue::leave(std::shared_ptr<ServedCall> served) {
  if (!served->is_deferred()) return put(std::move(served));
  if (std::exchange(served->counts_as_stream, false)) --streams_;
}

/// Requires that the mutex is held.
RequestQueue::Calls RequestQueue::take_finished() {
  ++hand_ins_;
  return std::exchange(finished_, {});
}

std::shared_ptr<ServedCall> RequestQueue::next(std::shared_ptr<ServedCall> previous) {
  std::unique_lock lock(mutex_);
  if (previous != nullptr) leave(std::move(previous));
  if (finished_.size() >= finished_at_once) {
    Calls finished = take_finished();
    lock.unlock();
    flush_amid_calls(std::move(finished));
    lock.lock();
  }
  for (bool has_waited = false;; has_waited = true) {
    if (lane_.is_crowded() && !is_closed()) {
      if (!wait_as_spare(lock)) return nullptr;
      continue;
    }
    if (std::shared_ptr<ServedCall> call = pop(read_clock())) {
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

/// Runs on a worker that has no place. It hands in what has finished, and waits until another one leaves its place.
/// Returns false if the worker is to end.
bool RequestQueue::wait_as_spare(std::unique_lock<std::mutex>& lock) {
  Calls finished = take_finished();
  lock.unlock();
  drop_left_references();
  bool was_called = false;
  {
    const ReleasedGil released;
    hand_in(std::move(finished));
    lock.lock();
    if (!lane_.is_crowded() || is_closed()) {
      was_called = true;
    } else {
      was_called = lane_.park(lock, [this] {
        // Another one, which is idle, may have to take the calls for which this one was woken.
        if (queued() > 0) wake_one();
      });
    }
    lock.unlock();
  }
  lock.lock();
  return was_called || is_closed();
}

std::shared_ptr<ServedCall> RequestQueue::next_built_in(std::shared_ptr<ServedCall> previous) {
  std::unique_lock lock(mutex_);
  if (previous != nullptr) leave(std::move(previous));
  for (;;) {
    Calls finished = take_finished();
    if (!finished.empty()) {
      lock.unlock();
      {
        const ReleasedGil released;
        hand_in(std::move(finished));
      }
      lock.lock();
    }
    if (is_closed()) return nullptr;
    if (built_in_.size() > 0 && !reserve_lane_.is_crowded()) {
      ++calls_, ++batches_;
      return popped(built_in_.pop_any());
    }
    lock.unlock();
    drop_left_references();
    bool was_called = false;
    {
      const ReleasedGil released;
      lock.lock();
      // A call may have come meanwhile.
      const bool is_idle = built_in_.size() == 0 || reserve_lane_.is_crowded();
      was_called = is_closed() || !is_idle || reserve_lane_.park(lock, [] {});
      lock.unlock();
    }
    lock.lock();
    if (!was_called) return nullptr;
  }
}

/// Hands in calls. This worker serves those that arrive meanwhile: no other one is woken to compete for the GIL.
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

/// Waits until there are calls. Must be called without the GIL.
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
  if (queued() > 0 || is_closed()) return;
  ++standing_by_;
  changed_.wait(lock);
  --standing_by_;
  if (queued() > 1) wake_one();
}

std::optional<RequestQueue::Kind> RequestQueue::keep() {
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
    if (const std::optional<Kind> wanted = is_closed() ? std::nullopt : fill_places()) return wanted;
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
      return is_closed() || may_fill_places();
    };
    survive([&] {
      if (!pump_->lead_until(
              is_over, [] {}, false) &&
          !finished.empty())
        post(std::move(finished));
    });
    keeper_leads_.store(false, std::memory_order_relaxed);
    lock.lock();
    if (const std::optional<Kind> wanted = is_closed() ? std::nullopt : fill_places()) return wanted;
  }
  return std::nullopt;
}

/// Returns true if the keeper, while it leads, may fill places.
bool RequestQueue::may_fill_places() {
  if (!has_items_.load(std::memory_order_seq_cst)) return false;
  const std::lock_guard lock(mutex_);
  if (!is_short_of(Kind::general) && !is_short_of(Kind::reserve)) return false;
  return no_worker_before_ == base::TimePoint() || base::Clock::now() >= no_worker_before_;
}

/// Returns true if no thread has run the loop or served the calls since the last tick, or if the keeper was called.
bool RequestQueue::tick(std::unique_lock<std::mutex>& lock, int& idle) {
  const std::uint64_t turns = pump_->lead_count();
  const std::uint64_t popped = popped_;
  const bool had_items = queued() > 0;
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
  const bool are_left = had_items && queued() > 0 && popped_ == popped;
  const bool is_left = !pump_->is_led() && (is_wanted || pump_->lead_count() == turns);
  return !is_closed() && (are_left || is_left);
}

/// Resumes the coroutines of the calls. Runs on the thread that leads.
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

/// Hands in finished calls. Must be called without the GIL.
void RequestQueue::hand_in(Calls finished) {
  if (finished.empty()) return;
  survive([&] {
    if (!pump_->lead_once([&] { resume_all(finished); })) post(std::move(finished));
  });
}

void RequestQueue::close() {
  is_loop_closed_ = {};
  Calls left;
  {
    const std::lock_guard lock(mutex_);
    closed_.store(true, std::memory_order_release);
    while (call::Job* const job = pop_any()) left.push_back(released(job));
    cancellations_.clear();
    has_items_.store(false, std::memory_order_relaxed);
    changed_.notify_all();
    ticker_.notify_all();
    lane_.close();
    reserve_lane_.close();
  }
  for (std::shared_ptr<ServedCall>& call : left) {
    call->refuse();
    finish(std::move(call));
  }
  // The post wakes a worker that leads.
  pump_->net_loop().post([] {});
  flush();
}

}  // namespace trunkline::python
