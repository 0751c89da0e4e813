// SPDX-License-Identifier: MIT
// WorkerJob: a unit of work for a WorkerPool.
#pragma once

#include "call/job_queue.h"

namespace trunkline::server {

/// The fate of a job.
enum class JobFate : unsigned char {
  run,
  /// The pool stops: the job must not begin its work.
  stopping,
  /// The job has waited too long, or has to make room: it must not begin its work.
  shed,
};

/// A job, whose owner keeps it alive until run_job(). That is called once for each submission that was accepted.
class WorkerJob : public call::Job {
 public:
  /// Runs on a worker. With another fate than `run` it may be called in WorkerPool::submit() or stop().
  virtual void run_job(JobFate fate) = 0;

 protected:
  virtual ~WorkerJob() = default;
};

}  // namespace trunkline::server
