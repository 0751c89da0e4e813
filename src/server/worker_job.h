// SPDX-License-Identifier: MIT
// WorkerJob: a unit of work for a WorkerPool.
#pragma once

#include "call/job_queue.h"

namespace trunkline::server {

/// What becomes of a job.
enum class JobFate : unsigned char {
  run,
  /// The pool stops: the job must not begin its work.
  stopping,
  /// It has waited too long, or has to make room: the job must not begin its work.
  shed,
};

/// Its owner keeps it alive until run_job(), which is called once for each submission that was accepted.
class WorkerJob : public call::Job {
 public:
  /// On a worker; with another fate than `run` possibly in WorkerPool::submit() or stop().
  virtual void run_job(JobFate fate) = 0;

 protected:
  virtual ~WorkerJob() = default;
};

}  // namespace trunkline::server
