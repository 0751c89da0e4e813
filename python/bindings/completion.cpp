// SPDX-License-Identifier: MIT
// Completion and Inbox: waiting for one completion, and taking completions in lists.
#include "completion.h"

#include "worker.h"

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

namespace trunkline::python {

using Clock = std::chrono::steady_clock;

namespace {

/// Asks Python, as the interpreter may have been started on any thread.
bool is_main_thread() try {
  if (::syscall(SYS_gettid) == ::getpid()) return true;
  const py::object main = py::module_::import("threading").attr("main_thread")();
  return main.attr("ident").cast<unsigned long>() == PyThread_get_thread_ident();
} catch (const std::exception&) {
  return true;  // waking in vain is better than missing signals
}

}  // namespace

bool has_interrupt() { return PyErr_CheckSignals() != 0; }

bool defer_interrupt(const py::error_already_set& error) {
  if (is_left_behind() && error.matches(PyExc_SystemExit)) return true;
  if (!error.matches(PyExc_KeyboardInterrupt)) return false;
  PyErr_SetInterrupt();
  return true;
}

bool handles_signals() {
  // In a forked child the main thread is the one that forked.
  struct Known {
    std::uint32_t generation = process_generation();
    bool is_main = is_main_thread();
  };
  thread_local Known known;
  if (known.generation != process_generation()) known = {};
  return known.is_main;
}

Clock::duration longest_wait() {
  if (handles_signals()) return signal_interval;
  return std::chrono::hours(1);
}

void Completion::end() {
  if (const std::shared_ptr<Inbox> inbox = std::exchange(inbox_, nullptr)) {
    done_.set_unwaited();
    inbox->push(shared_from_this());
  } else {
    pump_->set(done_);
  }
}

void Completion::cancel_now() { cancel_all({shared_from_this()}); }

void Completion::cancel_all(const std::vector<std::shared_ptr<Completion>>& completions) {
  const ReleasedGil released;
  std::shared_ptr<Pump> pump;
  for (const std::shared_ptr<Completion>& completion : completions) {
    if (completion->is_done() || !completion->pump_->fork_guard().is_here()) continue;
    completion->cancel();
    // The completions of one channel share a pump.
    if (pump != nullptr && pump != completion->pump_) pump->lead_once([] {});
    pump = completion->pump_;
  }
  if (pump != nullptr) pump->lead_once([] {});
}

void Completion::wait() {
  if (is_done() && !leaves_work()) return;
  pump_->fork_guard().require("call");
  drop_left_references();
  const Clock::duration longest = longest_wait();
  std::optional<Worker::Wait> waiting;
  if (!is_done()) waiting.emplace(*pump_);
  for (;;) {
    {
      const ReleasedGil released;
      if (pump_->wait(done_, Clock::now() + longest)) {
        if (leaves_work()) pump_->lead_once([] {});
        return;
      }
    }
    if (!has_interrupt()) {
      pump_->fork_guard().require("call");  // a signal handler may have forked
      continue;
    }
    // The operation has ended; the exception of the signal handler is raised instead of its outcome.
    py::error_already_set interrupt;
    if (!pump_->fork_guard().is_here()) throw interrupt;
    const ReleasedGil released;
    cancel();
    pump_->wait(done_, Clock::now() + signal_interval);
    // It ends on this side before the peer is told, and no thread may run the loop again.
    pump_->lead_once([] {});
    throw interrupt;
  }
}

py::object Completion::outcome_or_error() try { return outcome(); } catch (py::error_already_set& error) {
  return error.value();
} catch (const std::bad_alloc& error) {
  return py::handle(PyExc_MemoryError)(error.what());
} catch (const std::exception& error) {
  return py::handle(PyExc_RuntimeError)(error.what());
}

Inbox::Inbox(std::shared_ptr<Pump> pump, bool has_descriptor) : pump_(std::move(pump)) {
  if (!has_descriptor) return;
  descriptor_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (descriptor_ < 0) throw std::system_error(errno, std::system_category(), "eventfd");
}

Inbox::~Inbox() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Inbox::push(std::shared_ptr<Completion> completion) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed()) return;
    ready_.push_back(std::move(completion));
    is_first = !std::exchange(announced_, true);
  }
  if (!is_first) return;
  if (descriptor_ < 0 || !pump_->net_loop().is_current()) return announce();
  // The inbox announces them once all completions of this turn are there.
  pump_->net_loop().post([self = shared_from_this()] { self->announce(); });
}

void Inbox::announce() {
  if (descriptor_ < 0) return pump_->set(arrived_);
  const std::uint64_t one = 1;
  static_cast<void>(!::write(descriptor_, &one, sizeof one));
}

std::vector<std::shared_ptr<Completion>> Inbox::take_all() {
  if (descriptor_ >= 0) {
    std::uint64_t count = 0;
    static_cast<void>(!::read(descriptor_, &count, sizeof count));
  }
  std::vector<std::shared_ptr<Completion>> taken;
  const std::lock_guard lock(mutex_);
  taken.swap(ready_);
  announced_ = false;
  if (!is_closed()) arrived_.clear();  // a waiting thread must see that it is closed
  return taken;
}

/// Completions that could not be returned come with the next ones.
void Inbox::put_back(std::vector<std::shared_ptr<Completion>> completions) {
  const std::lock_guard lock(mutex_);
  completions.insert(completions.end(), std::make_move_iterator(ready_.begin()), std::make_move_iterator(ready_.end()));
  ready_ = std::move(completions);
  if (!std::exchange(announced_, true)) pump_->net_loop().post([self = shared_from_this()] { self->announce(); });
}

py::list Inbox::take() {
  py::list result;
  if (!pump_->fork_guard().is_here()) return result;
  drop_left_references();
  std::vector<std::shared_ptr<Completion>> taken = take_all();
  if (taken.empty()) return result;
  ++batches_;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    try {
      result.append(py::make_tuple(taken[i]->tag(), taken[i]->outcome_or_error()));
    } catch (const std::exception&) {
      // There is not even memory for the error.
      taken.erase(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(i));
      put_back(std::move(taken));
      if (i == 0) throw;
      break;
    }
    static_cast<void>(taken[i]->tag_.take());
    ++completions_;
  }
  return result;
}

py::list Inbox::wait_and_take(double seconds) {
  pump_->fork_guard().require("channel");
  const Clock::time_point end = seconds > 1e9
                                    ? Clock::time_point::max()
                                    : Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                         std::chrono::duration<double>(std::max(seconds, 0.0)));
  const Clock::duration longest = longest_wait();
  while (!is_closed() && !arrived_.is_set()) {
    {
      const ReleasedGil released;
      if (pump_->wait(arrived_, std::min(end, Clock::now() + longest))) break;
    }
    if (has_interrupt()) throw py::error_already_set();
    pump_->fork_guard().require("channel");  // a signal handler may have forked
    if (Clock::now() >= end) break;
  }
  return take();
}

void Inbox::close() {
  if (!pump_->fork_guard().is_here()) return;
  {
    const std::lock_guard lock(mutex_);
    closed_.store(true, std::memory_order_release);
  }
  pump_->set(arrived_);
}

}  // namespace trunkline::python
