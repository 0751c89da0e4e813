// SPDX-License-Identifier: MIT
// Completion: an operation in progress, which ends once; Inbox: completions that have ended, for Python to take in
// lists.
#pragma once

#include "pump.h"
#include "references.h"

#include <memory>
#include <mutex>
#include <vector>

namespace trunkline::python {

class Inbox;

/// An operation in progress. Both the side that carries it out and the side that waits keep it alive.
class Completion : public std::enable_shared_from_this<Completion> {
 public:
  explicit Completion(std::shared_ptr<Pump> pump) noexcept : pump_(std::move(pump)) {}
  virtual ~Completion() = default;
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Has the outcome delivered to `inbox`, with `tag`. Must be called before the operation begins, with the GIL.
  void deliver_to(std::shared_ptr<Inbox> inbox, const py::handle& tag) {
    inbox_ = std::move(inbox);
    tag_ = Reference(tag);
  }
  /// Replaces the tag of an operation whose outcome nobody has taken. Requires the GIL.
  void set_tag(const py::handle& tag) { tag_ = Reference(tag); }
  /// Returns the tag of deliver_to(). Requires the GIL.
  virtual py::object tag() const { return tag_.share(); }
  /// Returns the outcome for Python after the end: a value, or an exception to be raised. Requires the GIL.
  virtual py::object outcome() = 0;
  /// Returns outcome(), or the exception that it raises. Raises only if that is impossible too.
  py::object outcome_or_error();
  /// Cancels the operation, which ends soon. Any thread may call it.
  virtual void cancel() = 0;
  /// Cancels it, and runs the loop so that the peer is told even if no thread waits for anything. Requires the GIL.
  void cancel_now();

  bool is_done() const noexcept { return done_.is_set(); }
  Pump& pump() const noexcept { return *pump_; }

  /// Cancels many at once; the peer is told of all of them together. Requires the GIL.
  static void cancel_all(const std::vector<std::shared_ptr<Completion>>& completions);

  /// Waits with the GIL released. On the main thread it wakes now and then to handle signals. If a signal handler
  /// raises, it cancels the operation and raises that.
  void wait();
  /// Waits, then returns the outcome.
  py::object wait_and_take() { return wait(), outcome(); }

 protected:
  /// Returns true if bytes may have to be written after its end, although no thread waits and runs the loop.
  virtual bool leaves_work() const noexcept { return false; }
  /// Ends the operation. Must be called on the loop's thread, once the outcome is known.
  void end();

 private:
  friend class Inbox;
  std::shared_ptr<Pump> pump_;
  Waitable done_;
  std::shared_ptr<Inbox> inbox_;
  Reference tag_;
};

/// Collects completions. They are pushed where they end, mostly on the loop's thread. One Python thread at a time takes
/// them, such as that of an event loop that watches descriptor().
class Inbox : public std::enable_shared_from_this<Inbox> {
 public:
  /// If `has_descriptor` is set, descriptor() is readable whenever there is something to take.
  Inbox(std::shared_ptr<Pump> pump, bool has_descriptor);
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  const std::shared_ptr<Pump>& pump() const noexcept { return pump_; }
  int descriptor() const noexcept { return descriptor_; }
  void push(std::shared_ptr<Completion> completion);
  /// Takes everything as a list of (tag, outcome), which is empty in a forked child. Requires the GIL.
  py::list take();
  /// Waits up to `seconds` for something to take, with the GIL released; then takes it. The list is empty after that
  /// time. Raises what signal handlers raise.
  py::list wait_and_take(double seconds);
  /// Wakes the waiting thread, and has wait_and_take() wait no longer. Nothing is added afterwards; what is there can
  /// still be taken.
  void close();
  bool is_closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  /// Return the number of lists, and of completions, taken so far.
  std::uint64_t batches() const noexcept { return batches_; }
  std::uint64_t completions() const noexcept { return completions_; }

 private:
  void announce();
  std::vector<std::shared_ptr<Completion>> take_all();
  void put_back(std::vector<std::shared_ptr<Completion>> completions);

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

/// The longest wait without a check for signals, on the thread that handles them.
inline constexpr std::chrono::milliseconds signal_interval{50};
/// Returns true on the main thread, the only one that handles signals. Requires the GIL.
bool handles_signals();
/// Returns how long this thread may wait without a check for signals. Requires the GIL.
std::chrono::steady_clock::duration longest_wait();

/// Runs pending signal handlers. Returns true if one has raised; its exception is then set. Requires the GIL.
bool has_interrupt();

/// Returns true if `error` needs no report: a KeyboardInterrupt, which is then raised again where the main thread waits
/// or runs Python code next; or the SystemExit of a thread that the exit of the interpreter leaves behind. Code that a
/// loop calls uses it, as no exception can pass through that. Requires the GIL.
bool defer_interrupt(const py::error_already_set& error);

}  // namespace trunkline::python
