// SPDX-License-Identifier: MIT
// Completion: something under way that ends once; Inbox: where Python finds what has ended, in lists.
#pragma once

#include "pump.h"
#include "references.h"

#include <memory>
#include <mutex>
#include <vector>

namespace trunkline::python {

class Inbox;

/// Kept alive by whoever carries it out and by whoever waits.
class Completion : public std::enable_shared_from_this<Completion> {
 public:
  explicit Completion(std::shared_ptr<Pump> pump) noexcept : pump_(std::move(pump)) {}
  virtual ~Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Before it is begun: ends in `inbox`, which gives `tag` with the outcome. With the GIL.
  void deliver_to(std::shared_ptr<Inbox> inbox, const py::handle& tag) {
    inbox_ = std::move(inbox);
    tag_ = Reference(tag);
  }
  /// What Python gets: a value, or an exception to be raised. After the end. With the GIL.
  virtual py::object outcome() = 0;
  /// The same; if that cannot be made, the exception that says so. Raises only if not even that can be made.
  py::object outcome_or_error();
  /// Gives it up; it ends soon. Any thread.
  virtual void cancel() = 0;
  /// The same, and sees to it that the peer hears of it also if nobody waits for anything. With the GIL.
  void cancel_now();

  bool is_done() const noexcept { return done_.is_set(); }
  Pump& pump() const noexcept { return *pump_; }

  /// Of many at once: the peer hears of all of them together. With the GIL.
  static void cancel_all(const std::vector<std::shared_ptr<Completion>>& completions);

  /// Waits with the GIL released, on the main thread woken now and then to look for signals; if a signal's handler
  /// raises, cancels it and raises that.
  void wait();
  /// The same; then the outcome.
  py::object wait_and_take() { return wait(), outcome(); }

 protected:
  /// Its end may leave something to be written, for which nobody else may look after the loop.
  virtual bool leaves_work() const noexcept { return false; }
  /// On the loop's thread: the outcome is there.
  void end();

 private:
  friend class Inbox;
  std::shared_ptr<Pump> pump_;
  Waitable done_;
  std::shared_ptr<Inbox> inbox_;
  Reference tag_;
};

/// Filled where what it is for ends, mostly on the loop's thread; emptied by one Python thread at a time, such as an
/// event loop's that watches descriptor().
class Inbox : public std::enable_shared_from_this<Inbox> {
 public:
  /// With a descriptor: it is readable whenever there is something to take.
  Inbox(std::shared_ptr<Pump> pump, bool has_descriptor);
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  void push(std::shared_ptr<Completion> completion);
  /// Whatever there is: a list of (tag, outcome). Nothing in a forked child. With the GIL.
  py::list take();
  /// Waits up to `seconds` for something first, with the GIL released; empty if nothing has come. Raises what signal
  /// handlers raise.
  py::list wait_and_take(double seconds);
  /// Wakes who waits; wait_and_take() then no longer waits. Nothing more comes; what is there can still be taken.
  void close();
  bool is_closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  /// How many lists and how many completions have been taken.
  std::uint64_t batches() const noexcept { return batches_; }
  std::uint64_t completions() const noexcept { return completions_; }

 private:
  void announce();
  std::vector<std::shared_ptr<Completion>> take_all();
  void put_back(std::vector<std::shared_ptr<Completion>> untold);

  std::shared_ptr<Pump> pump_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Completion>> ready_;
  bool announced_ = false;
  std::atomic<bool> closed_{false};
  Waitable arrived_;
  int descriptor_ = -1;
  std::uint64_t batches_ = 0;
  std::uint64_t completions_ = 0;
};

/// The longest wait without a look for signals, on the thread that is told of them.
inline constexpr std::chrono::milliseconds signal_interval{50};
/// True on the main thread: no other is told of signals. With the GIL.
bool is_told_of_signals();
/// How long this thread may wait in one go. With the GIL.
std::chrono::steady_clock::duration longest_wait();

/// True if a signal's handler has raised: then its exception is set. With the GIL.
bool has_interrupt();

}  // namespace trunkline::python
