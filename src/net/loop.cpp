// SPDX-License-Identifier: MIT
// The turn of a Loop: handlers, deferred work, timers, and how it waits.
#include "net/loop.h"

#include <trunkline/completion.h>

#include <asio/post.hpp>

#include <utility>

namespace trunkline::net {

namespace {

struct FunctionTask : Task {
  explicit FunctionTask(std::function<void()> work) : function(std::move(work)) {
    run = [](Task* task) {
      const std::unique_ptr<FunctionTask> self(static_cast<FunctionTask*>(task));
      self->function();
    };
    drop = [](Task* task) { delete static_cast<FunctionTask*>(task); };
  }
  std::function<void()> function;
};

/// A handler whose memory is the loop's own: one of its kind is under way at most. Asio's own recycling ends with each
/// run_one().
template <class Function>
struct OwnMemoryHandler {
  using allocator_type = HandlerAllocator<void>;
  allocator_type get_allocator() const noexcept { return allocator_type(*memory); }
  void operator()() const { function(); }

  HandlerMemory* memory;
  Function function;
};

constexpr int handlers_per_poll = 1024;

}  // namespace

Loop::Loop(EventLoopOptions options, const base::ClockSource* clock)
    : clock_(clock != nullptr ? clock : &steady_clock_),
      manual_time_(clock != nullptr),
      busy_poll_(options.busy_poll),
      spin_limit_(busy_poll_),
      now_(clock_->now()),
      timers_(now_) {}

Loop::~Loop() { drop_tasks(); }

void Loop::clear() {
  drop_tasks();
  context_.shutdown();
  // What was let go of may have posted.
  drop_tasks();
}

void Loop::drop_tasks() {
  while (residents_ != nullptr) evict(*residents_);
  // A dropped task may give up its owner, which may post again.
  for (take_tasks(); tasks_taken_ != nullptr; take_tasks()) {
    while (tasks_taken_ != nullptr) {
      Task* const task = std::exchange(tasks_taken_, tasks_taken_->next);
      if (task->drop != nullptr) task->drop(task);
    }
  }
}

std::unique_ptr<EventLoop> Loop::make_event_loop(const EventLoopOptions& options, const base::ClockSource* clock) {
  auto result = std::make_unique<EventLoop>(options);
  result->loop_ = std::make_unique<Loop>(options, clock);
  return result;
}

namespace {
thread_local constinit const asio::execution_context* context_run_here = nullptr;
}

const asio::execution_context* running_context() noexcept { return context_run_here; }

Loop::RunScope::RunScope(Loop& loop) noexcept
    : loop_(loop),
      outer_(loop.runner_.exchange(std::this_thread::get_id(), std::memory_order_relaxed)),
      outer_context_(std::exchange(context_run_here, &loop.context_)) {
  ++loop_.depth_;
}

Loop::RunScope::~RunScope() {
  if (--loop_.depth_ == 0) loop_.now_valid_ = false;
  context_run_here = outer_context_;
  loop_.runner_.store(outer_, std::memory_order_relaxed);
}

void Loop::refresh_now() noexcept {
  now_ = clock_->now();
  now_valid_ = depth_ > 0;
}

void Loop::run() {
  const RunScope scope(*this);
  while (!stop_requested_.exchange(false, std::memory_order_relaxed)) {
    if (!turn()) std::this_thread::yield();
  }
}

void Loop::run_for(base::Duration duration) {
  const base::TimePoint deadline = base::deadline_after(now(), duration);
  run_until([this] { return stop_requested_.exchange(false, std::memory_order_relaxed); }, deadline);
}

bool Loop::poll() {
  const RunScope scope(*this);
  bool any = false;
  for (int count = 0; count < handlers_per_poll; ++count) {
    if (!settle()) {
      now_valid_ = false;
      if (context_.poll_one() == 0) break;
    }
    any = true;
  }
  return any;
}

void Loop::stop() {
  stop_requested_.store(true, std::memory_order_relaxed);
  asio::post(context_, [] {});
}

bool Loop::turn() {
  if (settle()) return true;
  now_valid_ = false;
  if (manual_time_) return context_.poll_one() != 0;
  was_idle_ = false;
  if (context_.poll_one() != 0) return true;
  was_idle_ = true;
  if (busy_poll_ > base::Duration::zero()) {
    wait_spinning();
  } else {
    context_.run_one();
  }
  return true;
}

bool Loop::settle() {
  bool any = run_follow_ups();
  if (!deferred_batch_.empty() || (!deferred_posted_ && !deferred_.empty())) {
    run_deferred();
    any = true;
  }
  // Left by a nested run or an exception.
  if (tasks_taken_ != nullptr) {
    run_tasks();
    any = true;
  }
  if (fire_due_timers()) any = true;
  if (!manual_time_) arm_timer();
  return any;
}

bool Loop::fire_due_timers() {
  if (manual_time_) {
    if (timers_.next_wakeup() > now()) return false;
  } else if (!std::exchange(timer_fired_, false)) {
    return false;
  }
  timers_.advance(now());
  return true;
}

void Loop::arm_timer() {
  const base::TimePoint next = timers_.next_wakeup();
  // Deadlines are scheduled and cancelled all the time: an alarm that turned out too early costs one turn, moving it a
  // system call each.
  if (next >= armed_for_) return;
  armed_for_ = next;
  wakeup_.expires_at(next);
  wakeup_.async_wait([this](const std::error_code& error) {
    if (error) return;
    armed_for_ = base::never;
    timer_fired_ = true;
  });
}

void Loop::wait_spinning() {
  const base::TimePoint start = base::Clock::now();
  if (spin_limit_ > base::Duration::zero()) {
    const base::TimePoint end = start + spin_limit_;
    do {
      if (context_.poll_one() != 0) {
        spin_limit_ = busy_poll_;
        return;
      }
    } while (base::Clock::now() < end);
  }
  context_.run_one();
  adapt_spin((now_valid_ ? now_ : base::Clock::now()) - start);
}

void Loop::adapt_spin(base::Duration waited) noexcept {
  // Two sleeping sides take several times the spin to answer each other, though both would be in time if both span.
  if (waited <= 4 * busy_poll_) {
    spin_limit_ = busy_poll_;
  } else {
    spin_limit_ = spin_limit_ > busy_poll_ / 16 ? spin_limit_ / 2 : base::Duration::zero();
  }
}

void Loop::post(Task* task) {
  if (!tasks_.push(task)) return;
  // The next push finds the queue empty only after take_tasks(), and by then Asio has given the memory back.
  auto drain = [this] {
    take_tasks();
    run_tasks();
  };
  asio::post(context_, OwnMemoryHandler<decltype(drain)>{&tasks_memory_, drain});
}

void Loop::post(std::function<void()> task) { post(new FunctionTask(std::move(task))); }

void Loop::take_tasks() {
  Task** end = &tasks_taken_;
  while (*end != nullptr) end = &(*end)->next;
  *end = tasks_.take_all();
}

void Loop::run_tasks() {
  while (tasks_taken_ != nullptr) {
    Task* const task = std::exchange(tasks_taken_, tasks_taken_->next);
    task->run(task);
  }
}

void Loop::follow_up(Deferred& deferred) {
  if (follow_ups_ != FollowUps::none) return defer(deferred);
  first_.add(deferred);
}

void Loop::defer(Deferred& deferred) {
  if (follow_ups_ == FollowUps::first) return second_.add(deferred);
  deferred_.add(deferred);
  if (depth_ == 0 || deferred_posted_) return;
  deferred_posted_ = true;
  auto end_turn = [this] {
    deferred_posted_ = false;
    run_deferred();
  };
  asio::post(context_, OwnMemoryHandler<decltype(end_turn)>{&deferred_memory_, end_turn});
}

void Loop::house(std::unique_ptr<Resident> resident) noexcept {
  Resident* const added = resident.release();
  added->next_ = std::exchange(residents_, added);
  if (added->next_ != nullptr) added->next_->previous_ = added;
}

std::unique_ptr<Resident> Loop::evict(Resident& resident) noexcept {
  (resident.previous_ != nullptr ? resident.previous_->next_ : residents_) = resident.next_;
  if (resident.next_ != nullptr) resident.next_->previous_ = resident.previous_;
  resident.previous_ = resident.next_ = nullptr;
  return std::unique_ptr<Resident>(&resident);
}

/// The lists are members so that a nested run, or the one after an exception, goes on with them.
bool Loop::run_follow_ups() {
  if (first_.empty() && second_.empty() && last_.empty()) return false;
  struct Scope {
    ~Scope() { loop.follow_ups_ = outer; }
    Loop& loop;
    const FollowUps outer;
  };
  const Scope scope{*this, follow_ups_};
  follow_ups_ = FollowUps::first;
  while (!first_.empty()) first_.call_first();
  follow_ups_ = FollowUps::second;
  while (!second_.empty()) second_.call_first();
  while (!last_.empty()) last_.call_first();
  return true;
}

void Loop::run_deferred() {
  deferred_batch_.take(deferred_);
  while (!deferred_batch_.empty()) deferred_batch_.call_first();
}

}  // namespace trunkline::net
