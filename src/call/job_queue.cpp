// SPDX-License-Identifier: MIT
// JobQueue: the order of jobs, and the jobs that have waited too long.
#include "call/job_queue.h"

namespace trunkline::call {

void JobQueue::push(Job& job, base::TimePoint now) noexcept {
  if (size_ == 0) {
    last_good_ = now;
    stands_ = false;
  }
  Level& level = levels_[job.level_];
  job.queued_at_ = now;
  job.previous_in_queue_ = level.last;
  job.next_in_queue_ = nullptr;
  job.is_queued_ = true;
  (level.last != nullptr ? level.last->next_in_queue_ : level.first) = &job;
  level.last = &job;
  ++size_;
}

bool JobQueue::remove(Job& job) noexcept {
  if (!job.is_queued_) return false;
  unlink(job);
  return true;
}

void JobQueue::unlink(Job& job) noexcept {
  Level& level = levels_[job.level_];
  (job.previous_in_queue_ != nullptr ? job.previous_in_queue_->next_in_queue_ : level.first) = job.next_in_queue_;
  (job.next_in_queue_ != nullptr ? job.next_in_queue_->previous_in_queue_ : level.last) = job.previous_in_queue_;
  job.previous_in_queue_ = job.next_in_queue_ = nullptr;
  job.is_queued_ = false;
  if (level.first == nullptr) level.passes = 0;
  --size_;
}

Job* JobQueue::pop(base::TimePoint now, JobQueue& shed) noexcept {
  if (size_ == 0) return nullptr;
  const bool stands = needs_time() && is_standing(now);
  const Level& level = levels_[choose_level()];
  // The newest job is the one whose caller is most likely still to wait when it is done. It is run in any case, so that
  // no worker is idle while somebody waits.
  Job* const job = stands ? level.last : level.first;
  unlink(*job);
  if (stands) shed_overdue(now, shed);
  return job;
}

Job* JobQueue::pop_any() noexcept {
  for (Level& level : levels_) {
    if (level.first == nullptr) continue;
    Job* const job = level.first;
    unlink(*job);
    return job;
  }
  return nullptr;
}

Job* JobQueue::evict_below(unsigned level) noexcept {
  for (unsigned least = options_.levels - 1; least > level; --least) {
    Job* const job = levels_[least].last;
    if (job == nullptr) continue;
    unlink(*job);
    return job;
  }
  return nullptr;
}

/// Returns the most important level that has jobs, unless another one has let enough of them pass.
unsigned JobQueue::choose_level() noexcept {
  unsigned chosen = 0;
  while (levels_[chosen].first == nullptr) ++chosen;
  for (unsigned lower = chosen + 1; lower < options_.levels; ++lower) {
    if (levels_[lower].first == nullptr || levels_[lower].passes < max_passes) continue;
    chosen = lower;
    break;
  }
  levels_[chosen].passes = 0;
  for (unsigned lower = 0; lower < options_.levels; ++lower) {
    if (lower != chosen && levels_[lower].first != nullptr) ++levels_[lower].passes;
  }
  return chosen;
}

bool JobQueue::is_standing(base::TimePoint now) noexcept {
  base::TimePoint oldest = now;
  for (const Level& level : levels_) {
    if (level.first != nullptr && level.first->queued_at_ < oldest) oldest = level.first->queued_at_;
  }
  // A queue that stands has just been cut to the target, so only a time below that shows its end.
  const base::Duration good = stands_ ? options_.target / 2 : options_.target;
  if (now - oldest < good) last_good_ = now;
  stands_ = now - last_good_ > options_.interval || (stands_ && last_good_ != now);
  return stands_;
}

void JobQueue::shed_overdue(base::TimePoint now, JobQueue& shed) noexcept {
  for (Level& level : levels_) {
    while (level.first != nullptr && now - level.first->queued_at_ > options_.target) {
      hand_over(*level.first, shed);
    }
  }
}

void JobQueue::move_to(JobQueue& other) noexcept {
  for (Level& level : levels_) {
    while (level.first != nullptr) hand_over(*level.first, other);
  }
}

/// Hands a job over, which can no longer be removed: it is about to learn its fate.
void JobQueue::hand_over(Job& job, JobQueue& other) noexcept {
  unlink(job);
  other.push(job, {});
  job.is_queued_ = false;
}

}  // namespace trunkline::call
