// SPDX-License-Identifier: MIT
// Loop: runs the turns of a loop, and waits for work.
#include "net/loop.h"

#include "net/system_error.h"

#include <trunkline/detail/completion.h>

#include <asio/post.hpp>

#include <string>
#include <system_error>
#include <utility>

namespace trunkline::net {

namespace {

struct FunctionTask : PostedTask {
  explicit FunctionTask(std::function<void()> work) : function(std::move(work)) {
    run = [](PostedTask* task) {
      const std::unique_ptr<FunctionTask> self(static_cast<FunctionTask*>(task));
      self->function();
    };
    drop = [](PostedTask* task) { delete static_cast<FunctionTask*>(task); };
  }
  std::function<void()> function;
};

/// A handler that is allocated in memory of the loop's, of which at most one is pending at a time. The memory that Asio
/// itself recycles is lost at the end of each run_one().
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

Loop::~Loop() { drop_work(); }

void Loop::clear() {
  drop_work();
  context_.shutdown();
  // The objects that were destroyed may have posted.
  drop_work();
}

void Loop::drop_work() {
  operations_.clear();
  queue_.drop_posted();
}

std::unique_ptr<EventLoop> Loop::make_event_loop(const EventLoopOptions& options, const base::ClockSource* clock) {
  auto result = std::make_unique<EventLoop>(options);
  result->loop_ = std::make_unique<Loop>(options, clock);
  return result;
}

namespace {
thread_local constinit const asio::execution_context* context_run_here = nullptr;
}

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
    ++turns_;
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

Status Loop::open() {
  if (wakeup_) return {};
  try {
    wakeup_.emplace(context_);
  } catch (const std::system_error& error) {
    const Status status = system_status("open event loop", error.code());
    return {status.code(), std::string(status.message()) + "; channels may share an EventLoop", status.origin()};
  }
  return {};
}

bool Loop::turn() {
  ++turns_;
  if (settle()) return true;
  now_valid_ = false;
  if (manual_time_) return context_.poll_one() != 0;
  was_idle_ = false;
  if (context_.poll_one() != 0) return true;
  was_idle_ = true;
  if (busy_poll_ > base::Duration::zero()) {
    wait_spinning();
  } else {
    wait();
  }
  return true;
}

bool Loop::settle() {
  bool any = queue_.resume();
  if (queue_.run_after_handler()) any = true;
  // These tasks were deferred while nothing ran the loop.
  if (!end_of_turn_posted_ && queue_.has_end_of_turn()) {
    queue_.run_end_of_turn();
    any = true;
  }
  if (fire_due_timers()) any = true;
  if (!manual_time_) arm_timer();
  return any;
}

bool Loop::fire_due_timers() {
  if (manual_time_ || !wakeup_) {
    const base::TimePoint next = timers_.next_wakeup();
    if (next == base::never || next > now()) return false;
  } else if (!std::exchange(timer_fired_, false)) {
    return false;
  }
  timers_.advance(now());
  return true;
}

void Loop::arm_timer() {
  if (!wakeup_) return;
  const base::TimePoint next = timers_.next_wakeup();
  // Deadlines are scheduled and cancelled all the time. Waking up too early costs one turn; moving the wake-up costs a
  // system call for each of them.
  if (next >= armed_for_) return;
  armed_for_ = next;
  wakeup_->expires_at(next);
  wakeup_->async_wait([this](const std::error_code& error) {
    if (error) return;
    armed_for_ = base::never;
    timer_fired_ = true;
  });
}

void Loop::wait() {
  const base::TimePoint next = timers_.next_wakeup();
  if (wakeup_ || next == base::never) {
    context_.run_one();
  } else {
    // The thread waits for a condition variable. The next turn fires the timers.
    context_.run_one_until(next);
  }
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
  wait();
  adapt_spin((now_valid_ ? now_ : base::Clock::now()) - start);
}

void Loop::adapt_spin(base::Duration waited) noexcept {
  // Two sides that both sleep take several times the spin to respond, although both would be in time if both span.
  if (waited <= 4 * busy_poll_) {
    spin_limit_ = busy_poll_;
  } else {
    spin_limit_ = spin_limit_ > busy_poll_ / 16 ? spin_limit_ / 2 : base::Duration::zero();
  }
}

void Loop::post(PostedTask* task) {
  if (!queue_.post(*task)) return;
  // A later post() finds the queue empty only after run_posted() has taken the tasks, and by then Asio has released the
  // memory.
  auto run = [this] { queue_.run_posted(); };
  asio::post(context_, OwnMemoryHandler<decltype(run)>{&posted_memory_, run});
}

void Loop::post(std::function<void()> task) { post(new FunctionTask(std::move(task))); }

void Loop::post_end_of_turn() {
  end_of_turn_posted_ = true;
  auto end_turn = [this] {
    end_of_turn_posted_ = false;
    queue_.run_end_of_turn();
  };
  asio::post(context_, OwnMemoryHandler<decltype(end_turn)>{&end_of_turn_memory_, end_turn});
}

}  // namespace trunkline::net

namespace trunkline::detail {

const asio::execution_context* running_context() noexcept { return net::context_run_here; }

}  // namespace trunkline::detail
