// SPDX-License-Identifier: MIT
// RequestQueue: event loops that take calls from it, and their calls once the loop is closed.
#include "request_queue.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace trunkline::python {

namespace {

/// An event loop that has had unfinished calls for this long may have been closed.
constexpr std::chrono::seconds patience{1};
constexpr std::size_t taken_at_once = 256;

}  // namespace

int RequestQueue::open_descriptor(const py::handle& is_closed) {
  if (descriptor_ >= 0) return descriptor_;
  is_loop_closed_ = Reference(is_closed);
  descriptor_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (descriptor_ < 0) throw std::system_error(errno, std::system_category(), "eventfd");
  return descriptor_;
}

void RequestQueue::watch() {
  if (!unfinished_.is_scheduled()) pump_->net_loop().timers().schedule(unfinished_, pump_->net_loop().now() + patience);
}

void RequestQueue::look_after_loop(base::TimePoint now) {
  if (running() == 0 || is_closed()) return;
  {
    const py::gil_scoped_acquire held;
    try {
      if (is_loop_closed_ && is_loop_closed_.share()().cast<bool>()) return close();
    } catch (const std::exception&) {
      // The error is dropped: is_closed() is called again later.
    }
  }
  pump_->net_loop().timers().schedule(unfinished_, now + patience);
}

std::vector<RequestQueue::Item> RequestQueue::take_some() {
  drop_left_references();
  std::uint64_t count = 0;
  static_cast<void>(!::read(descriptor_, &count, sizeof count));
  std::vector<Item> taken;
  bool are_left = false;
  bool has_shed = false;
  {
    const std::lock_guard lock(mutex_);
    taken.reserve(std::min(waiting_.size() + cancellations_.size(), taken_at_once));
    for (; !cancellations_.empty() && taken.size() < taken_at_once; cancellations_.pop_front()) {
      taken.push_back({std::move(cancellations_.front()), true});
    }
    const base::TimePoint now = read_clock();
    while (taken.size() < taken_at_once) {
      std::shared_ptr<ServedCall> call = pop(now);
      if (call == nullptr) break;
      taken.push_back({std::move(call), false});
    }
    are_left = !is_empty();
    announced_ = are_left;
    if (!are_left) has_items_.store(false, std::memory_order_relaxed);
    has_shed = !finished_.empty();
  }
  const std::uint64_t one = 1;
  if (are_left) static_cast<void>(!::write(descriptor_, &one, sizeof one));
  const auto calls = std::count_if(taken.begin(), taken.end(), [](const Item& item) { return !item.is_cancellation; });
  if (calls > 0) ++batches_, calls_ += static_cast<std::uint64_t>(calls);
  if (has_shed) flush();
  return taken;
}

}  // namespace trunkline::python
