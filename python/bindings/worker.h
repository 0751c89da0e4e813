// SPDX-License-Identifier: MIT
// Worker: a thread that runs the handlers of a server, and its waits for clients.
#pragma once

#include <functional>

namespace trunkline::python {

class Pump;
class WorkerLane;

/// A worker on the stack of its thread, which alone uses it.
class Worker {
 public:
  /// The lane counts the worker already. `streams` is the pump of the server, if workers that wait for the clients of
  /// its streams lend their places; otherwise null. The worker calls `place_left()` when it has lent its place.
  Worker(WorkerLane& lane, const Pump* streams, std::function<void()> place_left) noexcept;
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// A wait for its lifetime: that of a worker, or that of this thread for a client, if the thread is a worker of the
  /// server with this pump whose streams lend their places.
  class Wait {
   public:
    explicit Wait(const Pump& pump);
    explicit Wait(Worker& worker) : worker_(&worker) { worker.begin_wait(); }
    ~Wait() {
      if (worker_ != nullptr) worker_->end_wait();
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    Worker* worker_ = nullptr;
  };

 private:
  void begin_wait();
  void end_wait() noexcept;

  WorkerLane& lane_;
  const Pump* const streams_;
  const std::function<void()> place_left_;
  Worker* const outer_;
  /// The number of waits within waits.
  int waits_ = 0;
};

}  // namespace trunkline::python
