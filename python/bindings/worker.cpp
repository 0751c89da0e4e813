// SPDX-License-Identifier: MIT
// Worker: knows which thread is a worker, and whether it has lent its place.
#include "worker.h"

#include "worker_lane.h"

#include <utility>

namespace trunkline::python {

namespace {
thread_local Worker* current_worker = nullptr;
}

Worker::Worker(WorkerLane& lane, const Pump* streams, std::function<void()> place_left) noexcept
    : lane_(lane), streams_(streams), place_left_(std::move(place_left)), outer_(std::exchange(current_worker, this)) {}

Worker::~Worker() {
  current_worker = outer_;
  if (waits_ == 0) lane_.leave();
}

void Worker::begin_wait() {
  if (waits_++ > 0) return;
  lane_.leave();
  place_left_();
}

void Worker::end_wait() noexcept {
  if (--waits_ == 0) lane_.enter();
}

Worker::Wait::Wait(const Pump& pump) {
  if (current_worker == nullptr || current_worker->streams_ != &pump) return;
  current_worker->begin_wait();
  worker_ = current_worker;
}

}  // namespace trunkline::python
