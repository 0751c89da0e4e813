// SPDX-License-Identifier: MIT
// RequestQueue: calls on their way from the loop to Python's workers or event loop, and answers on their way back.
#pragma once

#include "served_call.h"

#include "base/timer_wheel.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace trunkline::python {

/// Workers serve the loop themselves: one leads until there are calls, runs their handlers one after the other, and
/// hands its answers in when there are no more. A keeper sees to it that another one takes the lead over if that takes
/// long, so a handler that blocks keeps only its own worker, and no answer of another; if all are busy, the keeper leads.
class RequestQueue : public std::enable_shared_from_this<RequestQueue> {
 public:
  static std::shared_ptr<RequestQueue> make(const std::shared_ptr<Pump>& pump);
  explicit RequestQueue(std::shared_ptr<Pump> pump) : pump_(std::move(pump)) {}
  ~RequestQueue();
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  struct Item {
    std::shared_ptr<ServedCall> call;
    bool is_cancellation = false;  ///< of a call that was taken before; event loops only
  };

  // --- on the loop's thread ---

  void push(std::shared_ptr<ServedCall> call);
  bool tells_cancellations() const noexcept { return descriptor_ >= 0; }
  void push_cancellation(std::shared_ptr<ServedCall> call) { push_item({std::move(call), true}); }

  // --- workers; with the GIL ---

  /// Hands in the answer of the call before, as answer() does, if there is one. The next call; leads or waits for one
  /// with the GIL released. Null once closed.
  std::shared_ptr<ServedCall> next(std::shared_ptr<ServedCall> answered);
  /// A handler begins that is known to take its time: somebody else is to look after the loop.
  void call_stand_by();

  // --- the keeper, one thread; without the GIL ---

  /// Until close().
  void keep();

  // --- an event loop; with the GIL ---

  /// Readable when there are calls. Before the first call; workers must not be used then. `is_closed()` is asked now
  /// and then while there are calls: once it is, those that wait are refused, and so are further ones. What the loop
  /// has taken is_closed() has to answer itself.
  int open_descriptor(const py::handle& is_closed);
  std::vector<Item> take_all();

  // --- answers; with the GIL ---

  /// Hands the answer of `call` in, once; it goes out with others, at the latest when a worker waits, at the keeper's
  /// second tick, or at flush().
  void answer(std::shared_ptr<ServedCall> call);
  void flush();

  /// The event loop is no longer watched. While nobody runs the loop, before that may be destroyed.
  void unwatch() noexcept { unanswered_.cancel(); }
  /// What waits is answered with unavailable; workers leave.
  void close();
  bool is_closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  /// Calls taken or waiting, and not answered.
  std::size_t running() const noexcept { return running_.load(std::memory_order_acquire); }
  /// Calls so far, and how many times somebody had to take the GIL for some of them.
  std::uint64_t calls() const noexcept { return calls_; }
  std::uint64_t batches() const noexcept { return batches_; }

 private:
  using Calls = std::vector<std::shared_ptr<ServedCall>>;

  void push_item(Item item);
  bool has_several();
  std::shared_ptr<ServedCall> pop();
  void put(std::shared_ptr<ServedCall> answered);
  Calls take_answers();
  void hand_in(Calls answers);
  void flush_amid_calls(Calls answers);
  void wait_for_calls(Calls answers);
  void end_of_lead();
  void stand_by();
  bool tick(std::unique_lock<std::mutex>& lock, int& idle);
  void wake_one();
  void resume_all(Calls& calls);
  void watch();
  void look_after_loop(base::TimePoint now);
  void post(Calls calls);

  std::shared_ptr<Pump> pump_;
  std::mutex mutex_;  // guards what follows up to the condition variables
  std::deque<Item> items_;
  Calls answers_;
  std::uint64_t hand_ins_ = 0;  // of answers
  bool announced_ = false;
  std::uint64_t popped_ = 0;
  std::size_t standing_by_ = 0;
  bool is_wanted_ = false;           // the keeper, at once
  std::condition_variable ticker_;   // the keeper's
  std::condition_variable changed_;  // of workers that stand by
  std::atomic<bool> is_dormant_{false};
  std::atomic<bool> keeper_leads_{false};
  std::atomic<bool> has_items_{false};
  std::atomic<bool> closed_{false};
  bool leader_serves_ = false;  // loop's thread; until it hands over
  int descriptor_ = -1;
  base::Timer unanswered_{
      [](base::Timer&, void* self, base::TimePoint now) { static_cast<RequestQueue*>(self)->look_after_loop(now); },
      this};                  // loop's thread
  Reference is_loop_closed_;  // GIL
  std::atomic<std::size_t> running_{0};

  std::uint64_t batches_ = 0;  // GIL
  std::uint64_t calls_ = 0;    // GIL
};

}  // namespace trunkline::python
