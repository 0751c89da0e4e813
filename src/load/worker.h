// SPDX-License-Identifier: MIT
// Worker: a thread with a loop that makes its share of the connections and calls.
#pragma once

#include "load/call_slot.h"
#include "load/load_plan.h"
#include "load/published_recordings.h"
#include "load/random.h"
#include "load/recording.h"
#include "load/schedule.h"

#include <trunkline/channel.h>
#include <trunkline/event_loop.h>

#include <asio/steady_timer.hpp>

#include <atomic>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

namespace trunkline::load {

/// A worker whose private members are for the loop's thread, except where noted. It has more than 25, because the
/// phases of a run, its timers, and the calls in progress decide together which call starts next and whether it counts.
class Worker final : private SlotOwner {
 public:
  enum class State : unsigned char { connecting, ready, running, done };

  /// Makes worker `index` of plan.threads. Starts the thread, which connects. The plan must outlive the worker.
  Worker(const LoadPlan& plan, std::size_t index);
  /// Cancels the calls in progress.
  ~Worker() override;

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  /// Returns why it could not connect, or ok, once the worker is done.
  const Status& error() const noexcept { return error_; }
  /// Returns when the last call ended, once the worker is done.
  Clock::time_point finished_at() const noexcept { return finished_at_; }
  /// Begins the warm-up. Call this once the worker is ready.
  void begin(Clock::time_point start);
  /// Ends the measurement, on any thread. Starts no further calls. The worker is done when the calls in progress have
  /// ended or the grace period is over; if the measurement has ended already, it is done at once.
  void stop();
  /// Moves what was recorded since the last call into `into`, and what ended after the measurement into `late`. Returns
  /// the time up to which `into` counts. Any thread may call it.
  Clock::time_point collect(Recording& into, Recording& late) { return published_.collect(into, late); }
  /// Returns the calls in progress at the time of the last publication.
  std::size_t open() const noexcept { return published_open_.load(std::memory_order_relaxed); }

 private:
  enum class Phase : unsigned char { idle, warming, measuring, draining, fencing, over };
  struct Connection {
    std::unique_ptr<Channel> channel;
    std::optional<Method> method;
    SlotContext context;
  };

  void run();
  Status connect();
  Status wait_for(Channel& channel) const;
  void make_slots();
  void start_phases(Clock::time_point start);
  void measure();
  void end_measurement();
  void drain();
  void finish_if_over();
  void finish_run();
  void fence();
  void on_fence_response(const Status& status);
  void complete();
  void publish();
  void publish_again();
  void launch(CallSlot& slot);
  void launch_due(CallSlot& slot, Clock::time_point now);
  void start_due_calls();
  void launch_all_due(Clock::time_point now);
  void count_unsent();
  void start_next(CallSlot& slot);
  void pause(CallSlot& slot, std::chrono::milliseconds length);
  bool counts_by_start() const noexcept { return plan_.total > 0 || plan_.rate > 0; }
  bool is_recorded(const CallSlot& slot) const noexcept;
  void record(const CallSlot& slot, const Status& status);
  void record_wait(const CallSlot& slot);

  void transferred(const CallSlot& slot, std::size_t messages, std::size_t sent_bytes,
                   std::size_t received_bytes) override;
  void ended(CallSlot& slot, const Status& status) override;
  void message_finished(const CallSlot& slot, std::chrono::nanoseconds latency) override;
  bool has_next_message(const CallSlot& slot) const noexcept override;
  bool starts_calls() const noexcept { return phase_ == Phase::warming || phase_ == Phase::measuring; }

  std::size_t share_of(std::size_t whole) const noexcept;

  const LoadPlan& plan_;
  std::size_t index_;

  EventLoop loop_;
  asio::steady_timer phase_timer_;
  asio::steady_timer publish_timer_;
  asio::steady_timer due_timer_;
  std::deque<Connection> connections_;
  std::vector<std::unique_ptr<CallSlot>> slots_;
  std::vector<CallSlot*> free_;
  Schedule schedule_;
  Random random_;
  std::size_t sampling_;
  std::uint64_t until_timed_ = 1;
  /// The number of calls of the plan's total that have not begun.
  std::uint64_t calls_left_ = 0;
  std::size_t open_ = 0;
  /// The number of failures in a row, over all slots.
  std::size_t failures_ = 0;
  /// The number of fence calls without a response so far.
  std::size_t fences_ = 0;
  Phase phase_ = Phase::idle;
  /// True once the measurement is over. Calls that end now are recorded as late.
  bool is_past_end_ = false;
  Clock::time_point measured_from_{};
  Recording current_;

  /// The error, which is set before the state becomes `done`.
  Status error_;
  Clock::time_point finished_at_{};
  std::atomic<State> state_{State::connecting};
  std::atomic<std::size_t> published_open_{0};
  PublishedRecordings published_;
  std::thread thread_;
};

}  // namespace trunkline::load
