// SPDX-License-Identifier: MIT
// RequestQueue: calls on their way from the loop to Python's workers or event loop, and finished calls on their way
// back.
#pragma once

#include "served_call.h"
#include "worker_lane.h"

#include "base/timer_wheel.h"
#include "call/job_queue.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace trunkline::python {

/// Workers run the loop themselves. One of them leads until calls arrive, runs their handlers one after the other, and
/// hands the finished calls in when no calls are left. A keeper makes another worker take the lead if that takes long,
/// so a handler that blocks occupies only its own worker and delays no response of another one. If all workers are
/// busy, the keeper leads.
///
/// A worker that waits for the client of a stream lends its place: if calls wait, a spare worker or a new one takes it.
/// Built-in methods, such as health, need no place: if no worker is free, a reserve worker runs them, and nothing else.
class RequestQueue : public std::enable_shared_from_this<RequestQueue> {
 public:
  /// `order` says in which order the calls are taken, and which of them are shed.
  static std::shared_ptr<RequestQueue> make(const std::shared_ptr<Pump>& pump, const call::JobQueue::Options& order);
  RequestQueue(std::shared_ptr<Pump> pump, const call::JobQueue::Options& order)
      : pump_(std::move(pump)), waiting_(order) {}
  ~RequestQueue();
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  struct Item {
    std::shared_ptr<ServedCall> call;
    /// True for the cancellation of a call that was taken before. Only event loops get it.
    bool is_cancellation = false;
  };

  // --- on the loop's thread ---

  void push(std::shared_ptr<ServedCall> call);
  bool tells_cancellations() const noexcept { return descriptor_ >= 0; }
  void push_cancellation(std::shared_ptr<ServedCall> call);
  /// Takes back a call that the client has cancelled. If nobody has taken it, it leaves the queue and finishes at once;
  /// otherwise this returns false and does nothing.
  bool withdraw(const std::shared_ptr<ServedCall>& call);

  // --- workers; with the GIL ---

  enum class Kind : bool { general, reserve };
  /// Prepares for `threads` general workers, before they start, and no reserve workers. At most `max_stream_threads`
  /// streams run at a time; 0: any number, and workers that wait for the clients of streams do not lend their places.
  void open_lanes(int threads, int max_stream_threads);
  WorkerLane& lane(Kind kind) noexcept { return kind == Kind::reserve ? reserve_lane_ : lane_; }
  /// Returns the pump, if workers that wait for the clients of streams lend their places; otherwise null.
  const Pump* lending_pump() const noexcept { return max_streams_ > 0 ? pump_.get() : nullptr; }
  /// Runs when a worker of this kind has left its place, and has another one take it if calls wait. Needs no GIL.
  void fill_place(Kind kind);
  /// Reports that a worker for which the keeper has asked cannot be started: the keeper asks again after a second.
  void report_refused(Kind kind);

  /// Hands in `previous`, the call that this worker has finished, as finish() does, unless it is null or deferred. Then
  /// returns the next call; leads or waits for one with the GIL released. Returns null once the queue is closed.
  std::shared_ptr<ServedCall> next(std::shared_ptr<ServedCall> previous);
  /// Returns the next call of a reserve worker, as next() does for a general one.
  std::shared_ptr<ServedCall> next_built_in(std::shared_ptr<ServedCall> previous);
  /// Called before a handler that is known to be slow: another worker or the keeper is to run the loop.
  void call_stand_by();

  // --- the keeper, one thread; without the GIL ---

  /// Runs the keeper until close(), and then returns nothing. Before, it returns each time that a worker has to start.
  std::optional<Kind> keep();

  // --- an event loop; with the GIL ---

  /// Returns a descriptor that is readable when there are calls. Must be called before the first call, and instead of
  /// using workers. `is_closed()` is called now and then while there are calls. Once it returns true, waiting and
  /// further calls are refused; is_closed() itself has to finish the calls that the event loop has taken.
  int open_descriptor(const py::handle& is_closed);
  /// Takes the next calls, not more than are served without delay: those left may still be withdrawn. The descriptor
  /// stays readable while there are more.
  std::vector<Item> take_some();

  // --- finished calls; with the GIL ---

  /// Hands in a finished call, once. Its response is sent with others, at the latest when a worker waits, at the second
  /// tick of the keeper, or at flush().
  void finish(std::shared_ptr<ServedCall> call);
  void flush();

  /// Stops calling is_closed(). Must be called while no thread runs the loop, and before the loop is destroyed.
  void unwatch() noexcept { unfinished_.cancel(); }
  /// Finishes waiting calls with unavailable, and lets the workers leave.
  void close();
  bool is_closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  /// Returns the number of calls that are waiting or have been taken, and have not finished.
  std::size_t running() const noexcept { return running_.load(std::memory_order_acquire); }
  /// Return the number of calls so far, and how often a thread took the GIL to serve some of them.
  std::uint64_t calls() const noexcept { return calls_; }
  std::uint64_t batches() const noexcept { return batches_; }

 private:
  using Calls = std::vector<std::shared_ptr<ServedCall>>;

  base::TimePoint read_clock() const noexcept;
  static std::shared_ptr<ServedCall> released(call::Job* job) noexcept;
  std::size_t queued() const noexcept { return waiting_.size() + built_in_.size(); }
  bool is_empty() const noexcept { return queued() == 0 && cancellations_.empty(); }
  call::JobQueue& queue_of(const ServedCall& call) noexcept;
  call::Job* pop_any() noexcept;
  void announce_if(bool is_first);
  bool has_several();
  std::shared_ptr<ServedCall> pop(base::TimePoint now);
  std::shared_ptr<ServedCall> popped(call::Job* job);
  void put(std::shared_ptr<ServedCall> finished);
  void leave(std::shared_ptr<ServedCall> served);
  Calls take_finished();
  void hand_in(Calls finished);
  void flush_amid_calls(Calls finished);
  void wait_for_calls(Calls finished);
  bool wait_as_spare(std::unique_lock<std::mutex>& lock);
  void end_of_lead();
  void stand_by();
  bool tick(std::unique_lock<std::mutex>& lock, int& idle);
  void wake_one();
  void wake_keeper();
  bool is_short_of(Kind kind) const noexcept;
  std::optional<Kind> fill_places();
  bool may_fill_places();
  void resume_all(Calls& calls);
  void watch();
  void look_after_loop(base::TimePoint now);
  void post(Calls calls);

  std::shared_ptr<Pump> pump_;
  /// Guards the members up to the condition variables.
  std::mutex mutex_;
  /// The calls that wait. They are ServedCalls, each of which keeps itself alive.
  call::JobQueue waiting_;
  /// The calls of built-in methods, which are neither shed nor wait for others.
  call::JobQueue built_in_{call::JobQueue::Options{}};
  WorkerLane lane_;
  WorkerLane reserve_lane_;
  /// The number of the application's streams that have been taken and have not finished.
  int streams_ = 0;
  int max_streams_ = 0;
  /// No worker is started before this time.
  base::TimePoint no_worker_before_{};
  /// The cancellations of calls that an event loop has taken.
  std::deque<std::shared_ptr<ServedCall>> cancellations_;
  Calls finished_;
  /// The number of times that finished calls were handed in.
  std::uint64_t hand_ins_ = 0;
  bool announced_ = false;
  std::uint64_t popped_ = 0;
  std::size_t standing_by_ = 0;
  /// The keeper is to tick at once.
  bool is_wanted_ = false;
  /// Wakes the keeper.
  std::condition_variable ticker_;
  /// Wakes workers that stand by.
  std::condition_variable changed_;
  std::atomic<bool> is_dormant_{false};
  std::atomic<bool> keeper_leads_{false};
  std::atomic<bool> has_items_{false};
  std::atomic<bool> closed_{false};
  /// True if the leader runs the handlers of calls that arrive, until it hands over. The loop's thread uses it.
  bool leader_serves_ = false;
  /// The calls that have been withdrawn in this turn of the loop, whose thread uses it.
  Calls withdrawn_;
  int descriptor_ = -1;
  /// Calls look_after_loop() while an event loop has unfinished calls. The loop's thread uses it.
  base::Timer unfinished_{
      [](base::Timer&, void* self, base::TimePoint now) { static_cast<RequestQueue*>(self)->look_after_loop(now); },
      this};
  /// This and the counters below are used with the GIL.
  Reference is_loop_closed_;
  std::atomic<std::size_t> running_{0};

  std::uint64_t batches_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace trunkline::python
